//! Assembly: the one place that names every concrete type.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use gateway_core::{Gateway, Registry, ports::Store};
use gateway_server::{Metrics, Settings, State};
use gateway_store::{Retention, SqliteStore};
use gateway_upstream::{CardFetcher, HttpAgents, guard::Clients};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Config, keys};

/// A gateway with its listeners bound, not yet serving.
#[derive(Debug)]
pub struct App {
    state: State,
    cards: Arc<CardFetcher>,
    public: TcpListener,
    admin: TcpListener,
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
    #[error("cannot listen on {address} ({listener}): {source}")]
    Listen {
        /// Which listener.
        listener: &'static str,
        /// Its address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
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
        };
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&config.store.path, retention).await?);
        let clients = Clients::new();
        let metrics = Arc::new(Metrics::default());
        let gateway = Gateway {
            registry: Registry::new(config.agents),
            store,
            agents: Arc::new(HttpAgents::new(clients.clone())),
            seals,
            profiles: config.profiles,
            default_profile: config.default_profile,
            config_version: config.version_hash,
            observer: Arc::clone(&metrics) as _,
            work: TaskTracker::new(),
        };
        let settings = Settings {
            public_url: config.public_url,
            max_body: config.limits.max_body,
            keep_alive: config.limits.stream_keep_alive,
        };
        Ok(Self {
            state: State::new(Arc::new(gateway), metrics, settings),
            cards: Arc::new(CardFetcher::new(clients)),
            public,
            admin,
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
        let fetching = tokio::spawn(Arc::clone(&gateway.registry).run(self.cards, stop.clone()));
        let public = gateway_server::public_router(self.state.clone());
        let admin = gateway_server::admin_router(self.state);
        let serving = async {
            tokio::try_join!(
                gateway_server::serve(self.public, public, stop.clone().cancelled_owned()),
                gateway_server::serve(self.admin, admin, stop.clone().cancelled_owned()),
            )
        };
        tokio::pin!(serving);
        let served = tokio::select! {
            served = &mut serving => served,
            () = stop.cancelled() => {
                gateway.work.close();
                let drained = tokio::time::timeout(self.drain, async {
                    let served = serving.await;
                    gateway.work.wait().await;
                    served
                });
                drained.await.unwrap_or_else(|_| {
                    tracing::warn!("some calls were still open at the end of the drain limit and were cut");
                    Ok(((), ()))
                })
            }
        };
        stop.cancel();
        if let Err(error) = fetching.await {
            tracing::error!(error = %error, "card fetching ended abnormally");
        }
        gateway.store.close().await;
        served.map(|((), ())| ())
    }
}

async fn bind(listener: &'static str, address: SocketAddr) -> Result<TcpListener, BuildError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| BuildError::Listen {
            listener,
            address,
            source,
        })
}
