//! What the operator is told: each cause in its own words, with a next step.

use std::{collections::HashSet, time::Duration};

use gateway_core::agent::AgentSpec;

use super::{super::mock::*, fetch};

/// What the operator was told so far: no text twice.
#[derive(Default)]
struct Told(HashSet<String>);

impl Told {
    async fn of(&mut self, agent: &AgentSpec, words: &str) {
        let text = fetch(agent).await.result.unwrap_err();
        assert!(text.contains(words), "{words}: {text}");
        assert!(text.contains("; "), "no next step: {text}");
        assert!(self.0.insert(text.clone()), "said twice: {text}");
    }

    async fn about(&mut self, answer: impl Into<Vec<u8>>, words: &str) {
        self.of(&agent(&Mock::always(answer).await.url), words)
            .await;
    }
}

#[tokio::test]
async fn c125_no_two_causes_read_the_same() {
    let mut told = Told::default();
    addresses(&mut told).await;
    statuses(&mut told).await;
    bodies(&mut told).await;
    times(&mut told).await;
    redirects(&mut told).await;
}

async fn addresses(told: &mut Told) {
    let closed_port = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    told.of(&agent(&closed_port), "connection refused").await;
    told.of(&agent("http://169.254.169.254"), "link-local")
        .await;
    told.about("", "closed before").await;
}

async fn statuses(told: &mut Told) {
    let again = "retry-after: 30\r\n";
    let tls = "The plain HTTP request was sent to HTTPS port";
    for (status, headers, body, words) in [
        (204, "", "", "204"),
        (304, "", "", "304"),
        (400, "", tls, "expects TLS"),
        (401, "", "", "401"),
        (403, "", "", "403"),
        (404, "", "", "no card at any of 2 places (404)"),
        (405, "", "", "405"),
        (
            429,
            again,
            "",
            "answered 429 when asked for its card and wants",
        ),
        (500, "", "", "500"),
        (
            503,
            again,
            "",
            "answered 503 when asked for its card and wants to be asked again in 30 s",
        ),
    ] {
        told.about(response(status, headers, body), words).await;
    }
}

async fn bodies(told: &mut Told) {
    let long = format!("{{{}}}", " ".repeat(70_000));
    for (body, words) in [
        ("<html></html>", "HTML, not JSON"),
        ("", "empty"),
        ("{\"a\":", "not valid JSON"),
        ("[]", "object"),
        ("{\"a\":1}", "not an AgentCard"),
        (&long, "`card.max_size`"),
    ] {
        told.about(json(body), words).await;
    }
    told.about(BEGUN, "cut off").await;
    told.about(
        response(200, "content-encoding: br\r\n", [11, 2, 128]),
        "`br`",
    )
    .await;
}

const BEGUN: &str = "HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n{";

async fn times(told: &mut Told) {
    for (begun, words) in [
        ("", "no card within 0.2 s"),
        (BEGUN, "not complete within 0.2 s"),
    ] {
        let mock = Mock::script(move |_, mut stream| async move {
            use tokio::io::AsyncWriteExt as _;
            stream.write_all(begun.as_bytes()).await.unwrap();
            hold(stream).await;
        })
        .await;
        let mut slow = agent(&mock.url);
        slow.card.timeout = Duration::from_millis(200);
        told.of(&slow, words).await;
    }
}

async fn redirects(told: &mut Told) {
    told.about(response(302, "location: /\r\n", ""), "in a circle")
        .await;
    told.about(response(302, "", ""), "without a usable Location")
        .await;
    told.about(
        response(302, "location: http://other.test/\r\n", ""),
        "another origin",
    )
    .await;
    told.about(
        response(302, "location: http://169.254.169.254/\r\n", ""),
        "redirects to a link-local",
    )
    .await;
    let further = Mock::answers(|seen| {
        let next = format!("location: {}x\r\n", seen.target);
        response(302, &next, "")
    })
    .await;
    told.of(&agent(&further.url), "more than 3 times").await;
}
