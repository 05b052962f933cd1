//! Deliveries over real sockets, with names that resolve as a test says.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

/// A webhook that answers all requests with the same and keeps what it got.
struct Hook {
    port: u16,
    got: Arc<Mutex<Vec<String>>>,
}

impl Hook {
    async fn answering(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = Arc::new(Mutex::new(Vec::new()));
        let keeps = Arc::clone(&got);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 8192];
                let length = stream.read(&mut request).await.unwrap_or_default();
                let text = String::from_utf8_lossy(request.get(..length).unwrap()).into_owned();
                keeps.lock().unwrap().push(text);
                stream.write_all(answer.as_bytes()).await.ok();
            }
        });
        Self { port, got }
    }

    fn requests(&self) -> Vec<String> {
        self.got.lock().unwrap().clone()
    }
}

fn delivery(url: &str) -> Delivery {
    Delivery {
        url: url.parse().unwrap(),
        content_type: "application/a2a+json",
        authorization: Some("Bearer cr".into()),
        token: Some("tk".into()),
        body: Bytes::from_static(b"{}"),
        timeout: Duration::from_secs(5),
    }
}

fn allowing(entries: &[&str]) -> AllowList {
    AllowList::new(entries.iter().map(|entry| entry.parse().unwrap()).collect())
}

fn resolving_to(addresses: &'static [&'static str]) -> Lookup {
    Arc::new(move |_| {
        let found = addresses.iter().map(|address| address.parse().unwrap());
        futures_util::future::ready(Ok(found.collect())).boxed()
    })
}

#[tokio::test]
async fn c059_credentials_and_token_arrive() {
    let hook = Hook::answering("HTTP/1.1 204 X\r\n\r\n").await;
    let hooks = HttpWebhooks::new(allowing(&["127.0.0.1"]));
    let url = format!("http://127.0.0.1:{}/p", hook.port);
    hooks.deliver(delivery(&url)).await.unwrap();
    let request = hook.requests().remove(0).to_ascii_lowercase();
    for line in [
        "post /p http/1.1",
        "authorization: bearer cr",
        "x-a2a-notification-token: tk",
        "content-type: application/a2a+json",
    ] {
        assert!(request.contains(line), "{request}");
    }
}

#[tokio::test]
async fn c081_names_that_lead_inside_are_refused() {
    for address in [
        "127.0.0.1",
        "10.0.0.5",
        "169.254.169.254",
        "::1",
        "::ffff:10.0.0.5",
    ] {
        let addresses: &'static [&'static str] = Box::leak(Box::new([address]));
        let hooks = HttpWebhooks::with(AllowList::default(), resolving_to(addresses));
        let url = "https://hook.example/".parse().unwrap();
        let refused = hooks.check(&url).await.unwrap_err();
        assert!(
            matches!(refused, WebhookError::Refused(_)),
            "{address}: {refused}"
        );
        let refused = hooks
            .deliver(delivery("https://hook.example/"))
            .await
            .unwrap_err();
        assert!(
            matches!(refused, WebhookError::Refused(_)),
            "{address}: {refused}"
        );
    }
}

#[tokio::test]
async fn c081_a_name_that_leads_inside_only_when_connected_to_is_refused() {
    let hook = Hook::answering("HTTP/1.1 204 X\r\n\r\n").await;
    let asked = Arc::new(AtomicUsize::new(0));
    let lookup: Lookup = Arc::new(move |_| {
        let first = asked.fetch_add(1, Ordering::SeqCst) == 0;
        let address = if first { "1.1.1.1" } else { "127.0.0.1" };
        futures_util::future::ready(Ok(vec![address.parse().unwrap()])).boxed()
    });
    let hooks = HttpWebhooks::with(AllowList::default(), lookup);
    let url = format!("https://hook.example:{}/", hook.port);
    hooks.deliver(delivery(&url)).await.unwrap_err();
    assert_eq!(hook.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn an_allowed_name_may_lead_inside_and_a_name_that_does_not_resolve_waits() {
    let hook = Hook::answering("HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n").await;
    let allow = allowing(&["hooks.internal"]);
    let hooks = HttpWebhooks::with(allow, resolving_to(&["127.0.0.1"]));
    let url = format!("http://hooks.internal:{}/", hook.port);
    hooks.deliver(delivery(&url)).await.unwrap();
    let missing: Lookup =
        Arc::new(|_| futures_util::future::ready(Err(io::Error::other("no such name"))).boxed());
    let hooks = HttpWebhooks::with(AllowList::default(), missing);
    assert_eq!(
        hooks.check(&"https://hook.example/".parse().unwrap()).await,
        Ok(())
    );
}

#[tokio::test]
async fn other_statuses_say_whether_to_try_again() {
    for (answer, expected) in [
        (
            "HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n",
            ("the webhook answered 500", None),
        ),
        (
            "HTTP/1.1 503 X\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n",
            ("the webhook answered 503", Some(7)),
        ),
        (
            "HTTP/1.1 302 X\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n",
            ("the webhook answered 302", None),
        ),
    ] {
        let hook = Hook::answering(answer).await;
        let hooks = HttpWebhooks::new(allowing(&["127.0.0.0/8"]));
        let url = format!("http://127.0.0.1:{}/", hook.port);
        let error = hooks.deliver(delivery(&url)).await.unwrap_err();
        let (detail, retry_after) = (expected.0.to_owned(), expected.1);
        assert_eq!(
            error,
            WebhookError::Failed {
                detail,
                retry_after
            }
        );
        assert_eq!(hook.requests().len(), 1);
    }
    let hook = Hook::answering("HTTP/1.1 410 X\r\ncontent-length: 0\r\n\r\n").await;
    let hooks = HttpWebhooks::new(allowing(&["127.0.0.1"]));
    let url = format!("http://127.0.0.1:{}/", hook.port);
    assert_eq!(hooks.deliver(delivery(&url)).await, Err(WebhookError::Gone));
}
