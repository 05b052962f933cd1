//! Cards that arrive compressed.

use super::{super::mock::*, CARD, fetch};

#[tokio::test]
async fn a_gzip_bomb_is_not_inflated() {
    let mut agent = agent(
        &Mock::always(response(
            200,
            "content-encoding: gzip\r\n",
            gzip(&vec![b' '; 8 << 20]),
        ))
        .await
        .url,
    );
    agent.card.max_bytes = 1000;
    let found = fetch(&agent).await;
    assert!(
        found
            .result
            .unwrap_err()
            .contains("over the limit of 1000 bytes")
    );
}

#[tokio::test]
async fn c123_compressed_cards_are_read() {
    let mock = Mock::always(response(
        200,
        "content-encoding: gzip\r\n",
        gzip(CARD.as_bytes()),
    ))
    .await;
    assert!(fetch(&agent(&mock.url)).await.result.is_ok());
}

#[tokio::test]
async fn a_compression_that_was_not_asked_for_is_named() {
    for (encoding, told) in [
        ("br", "compressed with `br`, which was not asked for"),
        ("zstd", "compressed with `zstd`"),
        ("x-é", "compressed with `x-é`"),
        ("BR, gzip", "`BR, gzip`"),
    ] {
        let header = format!("content-encoding: {encoding}\r\n");
        let mock = Mock::always(response(200, &header, [11, 2, 128])).await;
        let found = fetch(&agent(&mock.url)).await;
        let problem = found.result.unwrap_err();
        assert!(problem.contains(told), "{encoding}: {problem}");
        assert_eq!(mock.seen().len(), 1, "no other place is asked");
    }
    let plain = Mock::always(response(200, "content-encoding: identity\r\n", CARD)).await;
    assert!(fetch(&agent(&plain.url)).await.result.is_ok());
}
