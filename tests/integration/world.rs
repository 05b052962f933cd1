//! The gateway under test, on sockets of its own, with its store and key in a folder that outlives restarts.

pub(crate) mod admin;
pub(crate) mod client;
mod events;

use std::{path::Path, time::Duration};

use gateway::App;
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    client::Reply,
    events::{Event, Events},
};
use crate::mock::Mock;

/// A wait that takes longer than this is a failure: nothing a test waits for takes any time by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for something that must happen, and says what it was if it does not.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("waited {PATIENCE:?} in vain for {what}"))
}

/// Tries until it succeeds, for what happens beside an answer and not before it. An attempt that fails says what
/// there was instead.
pub(crate) async fn eventually<T>(
    what: &str,
    mut attempt: impl AsyncFnMut() -> Result<T, String>,
) -> T {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        match attempt().await {
            Ok(found) => return found,
            Err(instead) if tokio::time::Instant::now() > deadline => {
                panic!("waited {PATIENCE:?} in vain for {what}; last seen: {instead}")
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(3)).await,
        }
    }
}

/// What a gateway is started with.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    agents: Vec<String>,
    sections: Vec<String>,
    keys: String,
    profile: String,
    profiles: String,
    routing: String,
    store: String,
}

impl Setup {
    /// Begins without agents. Any fit will do, so that a test that is not about fit need not care for words.
    pub(crate) fn new() -> Self {
        Self {
            agents: Vec::new(),
            sections: Vec::new(),
            keys: "file: gateway.key".to_owned(),
            profile: "min_fit: 0".to_owned(),
            profiles: String::new(),
            routing: String::new(),
            store: "url: sqlite://gateway.db".to_owned(),
        }
    }

    /// Adds an agent.
    pub(crate) fn agent(self, id: &str, mock: &Mock) -> Self {
        self.agent_at(id, &mock.url(), "")
    }

    /// Adds an agent with more settings, in YAML flow style.
    pub(crate) fn agent_with(self, id: &str, mock: &Mock, settings: &str) -> Self {
        self.agent_at(id, &mock.url(), settings)
    }

    /// Adds an agent at an address.
    pub(crate) fn agent_at(mut self, id: &str, url: &str, settings: &str) -> Self {
        let comma = if settings.is_empty() { "" } else { ", " };
        self.agents.push(format!(
            "  - {{ id: {id}, url: \"{url}\"{comma}{settings} }}\n"
        ));
        self
    }

    /// Lists the agents in reverse order.
    pub(crate) fn reversed(mut self) -> Self {
        self.agents.reverse();
        self
    }

    /// Adds a top-level section of the configuration.
    pub(crate) fn section(mut self, yaml: &str) -> Self {
        self.sections.push(format!("{yaml}\n"));
        self
    }

    /// Adds settings of the gateway's own keys, in YAML flow style.
    pub(crate) fn keys(mut self, settings: &str) -> Self {
        self.keys = format!("{}, {settings}", self.keys);
        self
    }

    /// Replaces the settings of the routing profile, in YAML flow style.
    pub(crate) fn profile(mut self, settings: &str) -> Self {
        settings.clone_into(&mut self.profile);
        self
    }

    /// Adds another profile, with its settings in YAML flow style.
    pub(crate) fn another_profile(mut self, name: &str, settings: &str) -> Self {
        self.profiles = format!("{}{name}: {{ {settings} }}, ", self.profiles);
        self
    }

    /// Adds another profile, which decides beside the default one.
    pub(crate) fn shadow(self, name: &str, settings: &str) -> Self {
        self.another_profile(name, settings)
            .routing(&format!("shadow: [{name}]"))
    }

    /// Says how well agents fit, in YAML flow style.
    pub(crate) fn fit(self, settings: &str) -> Self {
        self.routing(&format!("fit: {settings}"))
    }

    /// Adds settings to the section `routing`, in YAML flow style.
    pub(crate) fn routing(mut self, settings: &str) -> Self {
        self.routing = format!("{}{settings}, ", self.routing);
        self
    }

    /// Adds settings of the store, in YAML flow style.
    pub(crate) fn store(mut self, settings: &str) -> Self {
        self.store = format!("{}, {settings}", self.store);
        self
    }

    /// Returns the configuration file.
    pub(crate) fn yaml(&self) -> String {
        format!(
            "listen: 127.0.0.1:0\nadmin: {{ listen: \"127.0.0.1:0\" }}\nstore: {{ {} }}\n\
             keys: {{ {} }}\nrouting: {{ {}profiles: {{ {}balanced: {{ {} }} }} }}\n{}agents:\n{}",
            self.store,
            self.keys,
            self.routing,
            self.profiles,
            self.profile,
            self.sections.concat(),
            self.agents.concat()
        )
    }

    /// Starts the gateway and waits until it has looked for every card.
    pub(crate) async fn start(self) -> World {
        let folder = tempfile::tempdir().unwrap();
        let running = Running::start(folder.path(), &self.yaml()).await;
        let client = client::plain();
        let world = World {
            setup: self,
            folder,
            running,
            client,
        };
        world.settled().await;
        world
    }
}

/// A running gateway with everything a test needs to talk to it.
pub(crate) struct World {
    pub(crate) setup: Setup,
    folder: TempDir,
    running: Running,
    client: reqwest::Client,
}

struct Running {
    public: String,
    admin: String,
    stop: CancellationToken,
    served: JoinHandle<std::io::Result<()>>,
}

impl Running {
    async fn start(folder: &Path, yaml: &str) -> Self {
        let config = gateway::config::parse("test.yaml", folder, yaml, &|_| None)
            .unwrap_or_else(|errors| panic!("the configuration of the test is wrong: {errors}"));
        let app = App::build(config).await.unwrap();
        let stop = CancellationToken::new();
        Self {
            public: app.public_address().unwrap().to_string(),
            admin: app.admin_address().unwrap().to_string(),
            stop: stop.clone(),
            served: tokio::spawn(app.run(stop)),
        }
    }
}

impl World {
    /// Starts a gateway in front of one agent.
    pub(crate) async fn of(id: &str, mock: &Mock) -> Self {
        Setup::new().agent(id, mock).start().await
    }

    /// Returns the address clients connect to, as `host:port`.
    pub(crate) fn address(&self) -> &str {
        &self.running.public
    }

    /// Stops the gateway and starts it again on the same folder.
    pub(crate) async fn restart(&mut self) {
        self.restart_after(async |_| {}).await;
    }

    /// Stops the gateway, does something to the file of its store, and starts it again.
    pub(crate) async fn restart_after(&mut self, act: impl AsyncFnOnce(&Path)) {
        self.running.stop.cancel();
        within("the gateway to stop", &mut self.running.served)
            .await
            .unwrap()
            .unwrap();
        act(&self.folder.path().join("gateway.db")).await;
        self.running = Running::start(self.folder.path(), &self.setup.yaml()).await;
        self.settled().await;
    }

    /// Waits until the cards of so many agents are remembered across restarts.
    pub(crate) async fn remembers(&self, agents: i64) {
        let count = "SELECT count(*) FROM card_sightings";
        self.stores(count, agents).await;
    }

    /// Waits until it is remembered that the changed card of an agent waits to be accepted.
    pub(crate) async fn remembers_quarantine(&self) {
        let count = "SELECT count(*) FROM card_sightings WHERE waits = 1";
        self.stores(count, 1).await;
    }

    /// Waits until a query of the store gives a number.
    async fn stores(&self, query: &'static str, wanted: i64) {
        let options = SqliteConnectOptions::new()
            .filename(self.folder.path().join("gateway.db"))
            .read_only(true);
        let mut store = SqliteConnection::connect_with(&options).await.unwrap();
        eventually(query, async || {
            let found: i64 = sqlx::query_scalar(query)
                .fetch_one(&mut store)
                .await
                .unwrap();
            if found == wanted {
                Ok(())
            } else {
                Err(found.to_string())
            }
        })
        .await;
        store.close().await.unwrap();
    }

    /// Removes the key, so that the next start makes another one.
    pub(crate) fn forget_key(&self) {
        std::fs::remove_file(self.folder.path().join("gateway.key")).unwrap();
    }

    /// Changes what the next start uses.
    pub(crate) fn change(&mut self, change: impl FnOnce(Setup) -> Setup) {
        self.setup = change(self.setup.clone());
    }

    async fn settled(&self) {
        eventually("the gateway to be ready", async || {
            let reply = self.admin_get("/readyz").await;
            if reply.status == 200 {
                Ok(())
            } else {
                Err(reply.body)
            }
        })
        .await;
    }
}
