//! A scripted agent on a raw socket: it logs every request as it came and answers as the test says at the moment.

mod answer;
mod request;
mod tls;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    answer::{Answer, Gate, gzip},
    request::Request,
    tls::tls_port,
};
use crate::{
    dialect::Dialect,
    world::{eventually, within},
};

/// The place that a card is served at unless a test says otherwise.
pub(crate) const CARD: &str = "/.well-known/agent-card.json";
/// The place of a card before 0.3.
pub(crate) const LEGACY_CARD: &str = "/.well-known/agent.json";

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// A scripted agent. Clones are the same agent.
#[derive(Clone)]
pub(crate) struct Mock {
    shared: Arc<Shared>,
}

struct Shared {
    address: String,
    script: Mutex<Script>,
    log: watch::Sender<Vec<Request>>,
    stop: CancellationToken,
}

/// How requests are answered: those by GET per path, all others by one handler.
struct Script {
    places: HashMap<String, Handler>,
    calls: Handler,
}

impl Mock {
    /// Starts an agent without a card that refuses every call.
    pub(crate) async fn bare() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let script = Script {
            places: HashMap::new(),
            calls: Arc::new(|_| Answer::http(404, "", "no such place")),
        };
        let shared = Arc::new(Shared {
            address: listener.local_addr().unwrap().to_string(),
            script: Mutex::new(script),
            log: watch::Sender::default(),
            stop: CancellationToken::new(),
        });
        let (accepting, stop) = (Arc::clone(&shared), shared.stop.clone());
        tokio::spawn(stop.run_until_cancelled_owned(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let stop = accepting.stop.clone();
                tokio::spawn(stop.run_until_cancelled_owned(serve(stream, Arc::clone(&accepting))));
            }
        }));
        Self { shared }
    }

    /// Starts an agent with a card and calls that succeed.
    pub(crate) async fn start(dialect: Dialect, name: &str) -> Self {
        let mock = Self::bare().await;
        mock.serves_card(&dialect.card(name, &mock.rpc_url()));
        mock.answers(move |call| dialect.obliging(call));
        mock
    }

    /// Goes down: its connections break and nothing listens any more.
    pub(crate) async fn goes_down(&self) {
        self.shared.stop.cancel();
        eventually("the agent to be down", async || {
            match TcpStream::connect(self.address()).await {
                Ok(_) => Err("it listens".to_owned()),
                Err(_) => Ok(()),
            }
        })
        .await;
    }

    /// Serves a card at the usual place.
    pub(crate) fn serves_card(&self, card: &Value) {
        let card = card.to_string();
        self.at(CARD, move |_| Answer::json(&card));
    }

    /// Changes what a GET of a path is answered.
    pub(crate) fn at(
        &self,
        path: &str,
        answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) {
        let mut script = self.shared.script.lock().unwrap();
        script.places.insert(path.to_owned(), Arc::new(answer));
    }

    /// Changes what calls are answered.
    pub(crate) fn answers(&self, answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.shared.script.lock().unwrap().calls = Arc::new(answer);
    }

    /// Answers all calls with the same.
    pub(crate) fn always(&self, answer: Answer) {
        self.answers(move |_| answer.clone());
    }

    /// Returns `http://` and the address, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.shared.address)
    }

    /// Returns the host and port.
    pub(crate) fn address(&self) -> &str {
        &self.shared.address
    }

    /// Returns where the card says calls go.
    pub(crate) fn rpc_url(&self) -> String {
        format!("{}/rpc", self.url())
    }

    /// Returns every request so far.
    pub(crate) fn log(&self) -> Vec<Request> {
        self.shared.log.borrow().clone()
    }

    /// Returns the calls so far.
    pub(crate) fn calls(&self) -> Vec<Request> {
        self.log()
            .into_iter()
            .filter(|request| request.method != "GET")
            .collect()
    }

    /// Returns the only call so far.
    pub(crate) fn only_call(&self) -> Request {
        let mut calls = self.calls();
        let methods: Vec<_> = calls.iter().map(Request::rpc_method).collect();
        assert_eq!(calls.len(), 1, "expected one call, got {methods:?}");
        calls.remove(0)
    }

    /// Returns the JSON-RPC methods of the calls so far.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.calls().iter().map(Request::rpc_method).collect()
    }

    /// Returns the paths of the requests for cards so far.
    pub(crate) fn card_requests(&self) -> Vec<String> {
        let gets = self
            .log()
            .into_iter()
            .filter(|request| request.method == "GET");
        gets.map(|request| request.target).collect()
    }

    /// Waits until there were so many calls.
    pub(crate) async fn called(&self, times: usize) {
        self.logged(&format!("call {times} at the agent"), |log| {
            log.iter().filter(|request| request.method != "GET").count() >= times
        })
        .await;
    }

    /// Waits until there were so many requests for cards.
    pub(crate) async fn asked_for_card(&self, times: usize) {
        self.logged(&format!("request {times} for the card"), |log| {
            log.iter().filter(|request| request.method == "GET").count() >= times
        })
        .await;
    }

    async fn logged(&self, what: &str, enough: impl Fn(&Vec<Request>) -> bool) {
        let mut log = self.shared.log.subscribe();
        within(what, log.wait_for(|log| enough(log))).await.unwrap();
    }
}

impl Shared {
    fn answer(&self, request: &Request) -> Answer {
        let handler = {
            let script = self.script.lock().unwrap();
            if request.method == "GET" {
                script.places.get(&request.target).cloned()
            } else {
                Some(Arc::clone(&script.calls))
            }
        };
        self.log.send_modify(|log| log.push(request.clone()));
        handler.map_or_else(|| Answer::http(404, "", ""), |handler| handler(request))
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut unread = Vec::new();
    while let Some(request) = request::read(&mut stream, &mut unread).await {
        match shared.answer(&request).play(stream).await {
            Some(open) => stream = open,
            None => return,
        }
    }
}
