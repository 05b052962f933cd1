//! File form to checked form: everything that is about more than one value, or about the world outside the file.

mod agents;
mod auth;
mod exploration;
mod fit;
mod profiles;
mod rules;
mod shadow;
mod trust;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use gateway_core::{Learning, push::AllowList};

pub(super) use self::agents::unconfigured;

use super::{
    AdminConfig, Config, PushConfig, StoreConfig,
    form::{FileForm, KeysForm, PushForm, StoreForm, StoreSettings, routing::LearningForm},
    report::Report,
    tree::Node,
};

/// The half-life below which days are too coarse to count in.
const SHORTEST_HALF_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// The checks of one file.
pub(super) struct Checker<'f> {
    /// What the file said, without the parts that were refused.
    pub(super) root: &'f Node,
    /// What the file said, so that a name is not called unknown because something else is wrong beside it.
    pub(super) original: &'f Node,
    /// Where relative paths start.
    pub(super) folder: &'f Path,
    pub(super) reports: &'f mut Vec<Report>,
}

impl Checker<'_> {
    /// Checks the whole file. The result counts only if no reports were made.
    pub(super) fn check(&mut self, form: FileForm, version_hash: String) -> Config {
        if form.version != 1 {
            self.report(
                self.root.get("version"),
                "this version of the file format does not exist",
                "write `version: 1`",
            );
        }
        self.listeners(&form);
        self.public_address(&form);
        let store = self.store(form.store);
        let key_file = self.key_file(&form.keys, &store);
        let learning = self.learning(&form.routing.learning);
        let fit = self.fit(&form.routing.fit);
        let shadow = self.shadow(&form.routing);
        let mut routing = form.routing;
        let rules = std::mem::take(&mut routing.rules);
        let (default_profile, profiles) = self.profiles(routing, learning);
        let rules = self.rules(
            rules,
            &profiles.keys().map(String::as_str).collect::<Vec<_>>(),
        );
        let trusted_keys = self.trusted_keys(&form.trust);
        Config {
            public_url: form.public_url.map(|url| url.0),
            trusted_proxies: form
                .trusted_proxies
                .into_iter()
                .map(|network| network.0)
                .collect(),
            listen: form.listen.0,
            admin: AdminConfig {
                listen: form.admin.listen.0,
                open: form.admin.open,
            },
            open: form.identity.open,
            store,
            key_file,
            limits: form.limits.into(),
            strict_versions: form.protocol.strict_versions,
            push: self.push(form.push),
            log: form.log.into(),
            card_key: self.card_key(&form.keys),
            agents: self.agents(form.agents, &trusted_keys),
            fit,
            profiles,
            rules,
            default_profile,
            shadow,
            learning,
            version_hash,
        }
    }

    fn public_address(&mut self, form: &FileForm) {
        if form
            .public_url
            .as_ref()
            .is_some_and(|url| url.0.query().is_some())
        {
            self.report(
                self.root.get("public_url"),
                "the public address must not have a query",
                "remove what starts with `?`",
            );
        }
    }

    fn key_file(&mut self, form: &KeysForm, store: &StoreConfig) -> PathBuf {
        let key_file = match &form.file {
            Some(file) => self.resolve(file),
            None => store.path.with_file_name("a2a-gateway.key"),
        };
        if key_file == store.path {
            self.report(
                self.root.get("keys"),
                "the key file and the store are the same file",
                "give them different paths",
            );
        }
        key_file
    }

    fn report(&mut self, node: &Node, message: impl Into<String>, help: impl Into<String>) {
        self.reports.push(Report::at(node.place, message, help));
    }

    /// Makes a path of the file usable from the working directory.
    fn resolve(&self, path: &Path) -> PathBuf {
        self.folder.join(path).components().collect()
    }

    fn listeners(&mut self, form: &FileForm) {
        let (clients, operators) = (form.listen.0, form.admin.listen.0);
        let admin = self.root.get("admin");
        if !is_loopback(clients) && !form.identity.open {
            self.report(
                self.root.get("listen"),
                "others than this machine can reach this address, and every caller would be let in",
                "if that is meant, add `identity: { open: true }`; else listen on 127.0.0.1",
            );
        }
        if !is_loopback(operators) && !form.admin.open {
            self.report(
                admin.get("listen"),
                "others than this machine can reach this admin address, and everybody would be let in",
                "if that is meant, add `open: true` to `admin`; else listen on 127.0.0.1",
            );
        }
        if clients == operators && clients.port() != 0 {
            self.report(
                admin.get("listen"),
                "clients and operators cannot share one address",
                "use another port",
            );
        }
    }

    fn learning(&mut self, form: &LearningForm) -> Learning {
        if form.half_life.0 < SHORTEST_HALF_LIFE {
            self.report(
                self.root.get("routing").get("learning").get("half_life"),
                "evidence is counted per day, so that it cannot fade faster",
                "write `24h` or more",
            );
        }
        Learning {
            prior_strength: form.prior_strength.0,
            half_life: form.half_life.0,
        }
    }

    fn push(&mut self, form: PushForm) -> PushConfig {
        let callback_url = form.callback_url.map(|url| url.0);
        if callback_url
            .as_ref()
            .is_some_and(|url| url.query().is_some())
        {
            self.report(
                self.root.get("push").get("callback_url"),
                "the address for notifications must not have a query",
                "remove what starts with `?`",
            );
        }
        PushConfig {
            callback_url,
            allow: AllowList::new(form.allow.into_iter().map(|target| target.0).collect()),
            timeout: form.timeout.0,
            max_attempts: form.max_attempts.0,
            max_age: form.max_age.0,
        }
    }

    fn store(&mut self, form: StoreForm) -> StoreConfig {
        let settings = StoreSettings::from(form);
        let node = self.root.get("store").get("url");
        let path = match settings.url.strip_prefix("sqlite://") {
            Some("") => Err(("the store has no path", "write `sqlite://./a2a-gateway.db`")),
            Some(path) if path.contains(['?', '#']) => Err((
                "the path of the store has a `?` or `#`",
                "parameters are not supported; write only the path",
            )),
            Some(path) => Ok(PathBuf::from(path)),
            None if settings.url.starts_with("postgres") => Err((
                "PostgreSQL stores are not supported by this version",
                "use SQLite: `sqlite://./a2a-gateway.db`",
            )),
            None => Err((
                "the store must be a URL that starts with `sqlite://`",
                "write `sqlite://./a2a-gateway.db`",
            )),
        };
        let path = path.unwrap_or_else(|(message, help)| {
            self.report(node, message, help);
            PathBuf::new()
        });
        StoreConfig {
            path: self.resolve(&path),
            max_age: settings.max_age.0,
            max_decisions: settings.max_decisions.0,
            record_text: settings.record_text,
        }
    }
}

fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
