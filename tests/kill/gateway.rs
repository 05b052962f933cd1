//! The real program as a process of its own, on a folder that survives it.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use reqwest::Client;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::agent::Agent;

const START_LIMIT: Duration = Duration::from_secs(15);
/// The name of the database within the folder.
pub(crate) const STORE: &str = "decisions.db";

/// A running gateway; dropping it kills it.
#[derive(Debug)]
pub(crate) struct Gateway {
    process: Child,
    log: Arc<Mutex<Vec<String>>>,
    /// Base address for clients.
    pub(crate) public: String,
    /// Base address for operators.
    pub(crate) admin: String,
}

impl Gateway {
    /// Writes the configuration that all starts on a folder share.
    pub(crate) fn configure(folder: &Path, agents: &[Agent]) {
        let mut text = format!(
            "listen: 127.0.0.1:0\nadmin: {{ listen: 127.0.0.1:0 }}\nstore: sqlite://./{STORE}\n\
             keys: {{ file: ./gateway.key }}\nlog: {{ format: json }}\nagents:\n"
        );
        for Agent { id, url, .. } in agents {
            text += &format!(
                "  - {{ id: {id}, url: \"{url}\", effect: read, limits: {{ max_in_flight: 1024 }} }}\n"
            );
        }
        std::fs::write(folder.join("a2a-gateway.yaml"), text).unwrap();
    }

    /// Starts the gateway on a folder and waits until it has the cards of all agents.
    pub(crate) async fn start(folder: &Path, http: &Client) -> Self {
        let mut process = Command::new(program())
            .arg("serve")
            .arg("--config")
            .arg(folder.join("a2a-gateway.yaml"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (found, addresses) = mpsc::channel();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let entry: Value = serde_json::from_str(&line).unwrap_or_default();
                if let (Some(public), Some(admin)) =
                    (entry["listen"].as_str(), entry["admin.listen"].as_str())
                {
                    // The receiver has what it needs after the first.
                    let _unwanted =
                        found.send((format!("http://{public}"), format!("http://{admin}")));
                }
                kept.lock().unwrap().push(line);
            }
        });
        let mut gateway = Self {
            process,
            log,
            public: String::new(),
            admin: String::new(),
        };
        match addresses.recv_timeout(START_LIMIT) {
            Ok((public, admin)) => (gateway.public, gateway.admin) = (public, admin),
            Err(_) => panic!("the gateway did not start:\n{}", gateway.log()),
        }
        gateway.wait_until_ready(http).await;
        gateway
    }

    async fn wait_until_ready(&self, http: &Client) {
        let limit = Instant::now() + START_LIMIT;
        loop {
            let answer = http
                .get(format!("{}/readyz", self.admin))
                .send()
                .await
                .unwrap();
            if answer.status() == 200 {
                return;
            }
            assert!(
                Instant::now() < limit,
                "the gateway is not ready:\n{}",
                self.log()
            );
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends the process with `SIGKILL`, which it can neither see nor delay.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Returns what the process has logged.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // Both fail only for a process that has ended already.
        let _ended = self.process.kill();
        let _ended = self.process.wait();
    }
}

/// Returns the program named by `A2A_GATEWAY_BIN`, else the one built beside this test, which is built if it is not
/// there yet.
fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("A2A_GATEWAY_BIN") {
        let named = PathBuf::from(named);
        // Tests run in the folder of their package, `A2A_GATEWAY_BIN` is given from the folder above.
        return if named.is_relative() {
            Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(named)
        } else {
            named
        };
    }
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let program = profile.join("a2a-gateway");
    if !program.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args([
            "build",
            "--package",
            "gateway",
            "--bin",
            "a2a-gateway",
            "--target-dir",
        ]);
        build.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(
            build.status().unwrap().success(),
            "the gateway cannot be built"
        );
    }
    program
}
