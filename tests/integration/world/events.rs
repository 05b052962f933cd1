//! A client that follows a stream, event by event.

use reqwest::Response;
use serde_json::Value;

use super::{Reply, within};

/// A stream of the gateway.
#[derive(Debug)]
pub(crate) struct Events {
    response: Response,
    unread: Vec<u8>,
}

/// One event, as the gateway framed it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    /// All of its lines.
    pub(crate) frame: String,
    /// Its data.
    pub(crate) data: String,
}

impl Event {
    /// Returns the data as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data)
            .unwrap_or_else(|error| panic!("the event holds no JSON ({error}): {}", self.frame))
    }

    /// Returns the result in it.
    #[track_caller]
    pub(crate) fn result(&self) -> Value {
        let mut json = self.json();
        assert!(json.get("result").is_some(), "no result: {}", self.data);
        json["result"].take()
    }

    /// Returns the error in it.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let mut json = self.json();
        assert!(json.get("error").is_some(), "no error: {}", self.data);
        json["error"].take()
    }
}

impl Events {
    /// Sends a request that must be answered with a stream.
    pub(crate) async fn open(request: reqwest::RequestBuilder) -> Self {
        let response = within("the headers of a stream", request.send())
            .await
            .unwrap();
        let content_type = response.headers().get("content-type").cloned();
        if content_type
            .as_ref()
            .is_none_or(|given| given != "text/event-stream")
        {
            let reply = Reply::read(response).await;
            panic!("no stream but {content_type:?}: {}", reply.body);
        }
        Self {
            response,
            unread: Vec::new(),
        }
    }

    /// Returns a header of the response.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap())
    }

    /// Returns the next block between blank lines, comments included; `None` at the end.
    pub(crate) async fn next_block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|window| window == b"\n\n") {
                let block: Vec<u8> = self.unread.drain(..end + 2).collect();
                return Some(String::from_utf8(block).unwrap());
            }
            let chunk = within("an event of the gateway", self.response.chunk())
                .await
                .unwrap();
            match chunk {
                Some(chunk) => self.unread.extend_from_slice(&chunk),
                None if self.unread.is_empty() => return None,
                None => panic!("the stream ends in the middle of a block"),
            }
        }
    }

    /// Returns the next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            let frame = self.next_block().await?;
            let data: Vec<_> = frame
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .collect();
            if !data.is_empty() {
                return Some(Event {
                    data: data.join("\n"),
                    frame: frame.clone(),
                });
            }
        }
    }

    /// Returns the next event, which must come.
    pub(crate) async fn expect(&mut self) -> Event {
        self.next()
            .await
            .expect("another event before the end of the stream")
    }

    /// Returns all events until the end.
    pub(crate) async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// Returns the results of all events until the end.
    pub(crate) async fn results(self) -> Vec<Value> {
        self.rest().await.iter().map(Event::result).collect()
    }
}
