//! Assembly: the one place that names every concrete type.

use std::{io::ErrorKind, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use gateway_core::{
    AgentSpec, FitEngine, Gateway, Learner, PushRelay, PushSettings, Registry,
    ports::{CardPins, Observer, PushStore},
    task::{contexts::Contexts, seal::KeyRing},
};
use gateway_server::{Metrics, Settings, State};
use gateway_store::{Retention, SqliteStore};
use gateway_upstream::{CardFetcher, HttpAgents, HttpWebhooks, guard::Clients};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use url::Url;

use crate::{Config, keys, meanings::MeaningFolder, model};

/// A gateway with its listeners bound, not yet serving.
#[derive(Debug)]
pub struct App {
    state: State,
    cards: Arc<CardFetcher>,
    pins: Arc<dyn CardPins>,
    public: TcpListener,
    admin: TcpListener,
    request_head: Duration,
    drain: Duration,
}

/// A gateway cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The key file cannot be used.
    #[error(transparent)]
    Keys(#[from] keys::KeyFileError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] gateway_core::ports::StoreError),
    /// A listener cannot be bound.
    #[error("cannot listen on {address}: {cause}; {}", listen_step(.cause, .listener))]
    Listen {
        /// Which listener.
        listener: &'static str,
        /// Its address.
        address: SocketAddr,
        /// What the system said.
        cause: std::io::Error,
    },
}

impl App {
    /// Opens the store and keys and binds the listeners. Nothing is served and no agent is contacted yet.
    ///
    /// # Errors
    /// [`BuildError`] names what cannot be used.
    pub async fn build(config: Config) -> Result<Self, BuildError> {
        let public = bind("listen", config.listen).await?;
        let admin = bind("admin.listen", config.admin.listen).await?;
        let seals = Arc::new(keys::load_or_create(&config.key_file)?);
        let retention = Retention {
            max_age: Some(config.store.max_age),
            max_decisions: Some(u64::from(config.store.max_decisions)),
            max_lesson_age: Some(config.learning.horizon()),
        };
        let store = Arc::new(SqliteStore::open(&config.store.path, retention).await?);
        let push = push_relay(&config, public.local_addr().ok(), Arc::clone(&store) as _);
        let pins: Arc<dyn CardPins> = Arc::<SqliteStore>::clone(&store);
        let clients = Clients::new();
        let metrics = Arc::new(Metrics::default());
        let parts = Parts {
            store,
            seals,
            push,
            clients: clients.clone(),
            observer: Arc::clone(&metrics) as _,
            own: [public.local_addr(), admin.local_addr()]
                .into_iter()
                .flatten()
                .collect(),
        };
        let gateway = assemble(&config, parts).await;
        let settings = Settings {
            public_url: config.public_url,
            trusted_proxies: config.trusted_proxies,
            max_body: config.limits.max_body,
            body_time: config.limits.request_body,
            keep_alive: config.limits.stream_keep_alive,
            unread: config.limits.stream_unread,
            card_key: config.card_key,
            admin_is_local: config.admin.listen.ip().is_loopback(),
            strict_versions: config.strict_versions,
        };
        Ok(Self {
            state: State::new(Arc::new(gateway), metrics, settings),
            cards: Arc::new(CardFetcher::new(clients)),
            pins,
            public,
            admin,
            request_head: config.limits.request_head,
            drain: config.limits.drain,
        })
    }

    /// Returns the address clients connect to.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn public_address(&self) -> std::io::Result<SocketAddr> {
        self.public.local_addr()
    }

    /// Returns the address operators connect to.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn admin_address(&self) -> std::io::Result<SocketAddr> {
        self.admin.local_addr()
    }

    /// Returns the gateway itself.
    #[must_use]
    pub fn gateway(&self) -> Arc<Gateway> {
        Arc::clone(&self.state.gateway)
    }

    /// Serves until `stop` is cancelled, then finishes what is open within the drain limit and closes the
    /// store.
    ///
    /// # Errors
    /// When a listener fails for good.
    pub async fn run(self, stop: CancellationToken) -> std::io::Result<()> {
        let gateway = Arc::clone(&self.state.gateway);
        let delivering = tokio::spawn(Arc::clone(&gateway).deliver_pushes(stop.clone()));
        let learning = tokio::spawn(Arc::clone(&gateway).learn(stop.clone()));
        let sources = (self.cards as _, self.pins);
        let fetching = tokio::spawn(Arc::clone(&gateway.registry).run(sources, stop.clone()));
        let understanding = understand(&gateway, stop.clone());
        let public = gateway_server::public_router(self.state.clone());
        let admin = gateway_server::admin_router(self.state);
        let head = self.request_head;
        let serving = async {
            tokio::try_join!(
                gateway_server::serve(self.public, public, head, stop.clone().cancelled_owned()),
                gateway_server::serve(self.admin, admin, head, stop.clone().cancelled_owned()),
            )
        };
        tokio::pin!(serving);
        let served = tokio::select! {
            served = &mut serving => Some(served),
            () = stop.cancelled() => None,
        };
        stop.cancel();
        gateway.work.close();
        let drained = tokio::time::timeout(self.drain, async {
            let served = match served {
                Some(served) => served,
                None => serving.await,
            };
            gateway.work.wait().await;
            delivered(delivering).await;
            served
        });
        let served = drained.await.unwrap_or_else(|_| {
            tracing::warn!("some calls were still open at the end of the drain limit and were cut");
            Ok(((), ()))
        });
        if let Err(error) = fetching.await {
            tracing::error!(error = %error, "card fetching ended abnormally");
        }
        if let Err(error) = learning.await {
            tracing::error!(error = %error, "learning ended abnormally");
        }
        if let Some(understanding) = understanding {
            // A batch of cards takes a second; what it says is not needed any more.
            understanding.abort();
        }
        gateway.store.close().await;
        served.map(|((), ())| ())
    }
}

/// What a gateway is put together from, apart from its configuration.
struct Parts {
    store: Arc<SqliteStore>,
    seals: Arc<KeyRing>,
    push: PushRelay,
    clients: Clients,
    observer: Arc<dyn Observer>,
    /// Where it listens.
    own: Arc<[SocketAddr]>,
}

/// Returns the agents, none of whose cards may lead calls back to the gateway.
fn agents(config: &Config, own: &Arc<[SocketAddr]>) -> Vec<AgentSpec> {
    let agents = config.agents.iter();
    agents
        .map(|spec| AgentSpec {
            own: Arc::clone(own),
            ..spec.clone()
        })
        .collect()
}

async fn assemble(config: &Config, parts: Parts) -> Gateway {
    let meanings = MeaningFolder::new(config.store.path.with_extension("meanings"));
    Gateway {
        registry: Registry::new(agents(config, &parts.own)),
        store: parts.store,
        agents: Arc::new(HttpAgents::new(parts.clients.clone())),
        seals: parts.seals,
        contexts: Contexts::default(),
        rules: config.rules.clone(),
        record_text: config.store.record_text,
        profiles: config.profiles.clone(),
        default_profile: config.default_profile.clone(),
        shadow: config.shadow.clone(),
        config_version: config.version_hash.clone(),
        learner: Learner::new(config.learning),
        push: parts.push,
        fit: model::engine(&config.fit, meanings, &parts.clients).await,
        observer: parts.observer,
        work: TaskTracker::new(),
    }
}

/// Puts a gateway together that only decides: nothing of it is on disk but what cards mean, nobody can reach it, and it
/// has no cards yet.
///
/// # Errors
/// When the system gives no memory for a store, or no random numbers.
pub(crate) async fn offline(config: &Config) -> Result<Arc<Gateway>, BuildError> {
    let retention = Retention {
        max_age: None,
        max_decisions: None,
        max_lesson_age: None,
    };
    let store = Arc::new(SqliteStore::open(Path::new(":memory:"), retention).await?);
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let parts = Parts {
        push: push_relay(config, Some(nowhere), Arc::clone(&store) as _),
        store,
        seals: Arc::new(keys::temporary()?),
        clients: Clients::new(),
        observer: Arc::new(Metrics::default()),
        own: [].into(),
    };
    Ok(Arc::new(assemble(config, parts).await))
}

/// Starts reading what cards mean, if the engine looks at that.
fn understand(gateway: &Gateway, stop: CancellationToken) -> Option<JoinHandle<()>> {
    let FitEngine::Hybrid(semantics) = &gateway.fit else {
        return None;
    };
    let registry = Arc::clone(&gateway.registry);
    Some(tokio::spawn(
        registry.understand(Arc::clone(semantics), stop),
    ))
}

/// Puts the relay of push notifications together. Agents are told the configured address, else the one that clients
/// see, else that of the listener if it is one that can be called.
fn push_relay(
    config: &Config,
    listener: Option<SocketAddr>,
    store: Arc<dyn PushStore>,
) -> PushRelay {
    let callable = listener.filter(|address| !address.ip().is_unspecified());
    let own = || Url::parse(&format!("http://{}", callable?)).ok();
    let configured = config.push.callback_url.clone();
    let callback_base = configured
        .or_else(|| config.public_url.clone())
        .or_else(own);
    if callback_base.is_none() {
        tracing::warn!(
            "push notifications are off, because agents have no address to send them to: set `push.callback_url` or `public_url`"
        );
    }
    let settings = PushSettings {
        callback_base,
        allow: config.push.allow.clone(),
        timeout: config.push.timeout,
        max_attempts: config.push.max_attempts,
        max_age: config.push.max_age,
    };
    let client = Arc::new(HttpWebhooks::new(config.push.allow.clone()));
    PushRelay::new(settings, store, client)
}

async fn delivered(delivering: JoinHandle<()>) {
    if let Err(error) = delivering.await {
        tracing::error!(error = %error, "the delivery of push notifications ended abnormally");
    }
}

fn listen_step(cause: &std::io::Error, listener: &str) -> String {
    match cause.kind() {
        ErrorKind::AddrInUse => format!("stop what listens there, or change `{listener}`"),
        ErrorKind::AddrNotAvailable => format!("set `{listener}` to an address of this machine"),
        ErrorKind::PermissionDenied => format!("set `{listener}` to a port above 1023"),
        _ => format!("change `{listener}`"),
    }
}

async fn bind(listener: &'static str, address: SocketAddr) -> Result<TcpListener, BuildError> {
    TcpListener::bind(address)
        .await
        .map_err(|cause| BuildError::Listen {
            listener,
            address,
            cause,
        })
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[tokio::test]
    async fn a_taken_address_is_named_once_with_the_setting_to_change() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = bind("admin.listen", address).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(&address.to_string()) && text.contains("change `admin.listen`"),
            "{text}"
        );
        assert!(error.source().is_none(), "the text has the cause already");
    }
}
