//! Redirects on the way to a card.

use super::{super::mock::*, CARD, CURRENT, fetch, host};

#[tokio::test]
async fn redirects_are_followed_within_the_origin_only() {
    let mock = Mock::answers(|seen| match seen.target.as_str() {
        CURRENT => response(302, "location: /one\r\n", ""),
        "/one" => response(301, "location: /two\r\n", ""),
        "/two" => response(307, "location: /three\r\n", ""),
        _ => json(CARD),
    })
    .await;
    assert!(fetch(&agent(&mock.url)).await.result.is_ok());

    let target = host(&[CURRENT], 404).await;
    let link_local = "link-local or metadata address";
    let elsewhere = [
        (format!("{}{CURRENT}", target.url), "another origin"),
        ("http://169.254.169.254/".to_owned(), link_local),
        ("http://[fe80::1]/".to_owned(), link_local),
        ("http://100.100.100.200/".to_owned(), link_local),
        ("//169.254.169.254/latest".to_owned(), link_local),
    ];
    for (location, told) in elsewhere {
        let mock = Mock::always(response(302, &format!("location: {location}\r\n"), "")).await;
        let found = fetch(&agent(&mock.url)).await;
        let problem = found.result.unwrap_err();
        assert!(problem.contains(told), "c083 {location}: {problem}");
        assert_eq!(mock.seen().len(), 1);
    }
    assert!(target.seen().is_empty());
}

#[tokio::test]
async fn a_redirect_keeps_the_user_info_of_the_address() {
    let mock = Mock::answers(|seen| match seen.target.as_str() {
        CURRENT => {
            let to = format!("location: http://{}/card\r\n", seen.headers["host"]);
            response(302, &to, "")
        }
        _ => json(CARD),
    })
    .await;
    let with_user = mock.url.replace("http://", "http://user:s3same@");
    fetch(&agent(&with_user)).await.result.unwrap();
    let sent: Vec<_> = mock
        .seen()
        .iter()
        .map(|seen| seen.headers["authorization"].clone())
        .collect();
    assert_eq!(sent, ["Basic dXNlcjpzM3NhbWU="; 2]);
}
