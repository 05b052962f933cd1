//! A running gateway whose decisions are explained, judged, exported, made again and tuned.

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{root, run, stderr, stdout};

/// The demo: five agents, a gateway, and a conversation that is over.
struct Demo {
    process: Child,
    admin: String,
    folder: TempDir,
}

impl Demo {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_a2a-gateway"))
            .arg("demo")
            .current_dir(root())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut line_with = |text: &str| {
            let mut lines = lines.by_ref().map(Result::unwrap);
            lines.find(|line| line.contains(text)).unwrap()
        };
        let started = line_with("(admin ");
        let admin = started.split("(admin ").nth(1).unwrap();
        let admin = admin.trim_end_matches(')').to_owned();
        line_with("The gateway stays up");
        // The rest is read to its end, so that the program can go on writing.
        std::thread::spawn(move || lines.count());
        Self {
            process,
            admin,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let with_admin = [arguments, &["--admin", &self.admin]].concat();
        run(&with_admin)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(!output.stdout.is_empty(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path: PathBuf = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _waited = self.process.wait();
    }
}

const CONFIGURATION: &str = "examples/university/a2a-gateway.yaml";

/// The example's configuration without the agent that got the most.
fn without_payments() -> String {
    let text = std::fs::read_to_string(root().join(CONFIGURATION)).unwrap();
    let (before, rest) = text.split_once("  - id: payments").unwrap();
    let (_, after) = rest.split_once("  - id: scholarships").unwrap();
    format!("{before}  - id: scholarships{after}")
}

#[test]
fn decisions_are_explained_exported_replayed_and_tuned() {
    let demo = Demo::start();
    let listed = demo.json(&["decisions", "list"]);
    let decisions = listed["decisions"].as_array().unwrap();
    let scored = decisions
        .iter()
        .find(|one| one["kind"] == "scored" && one["candidates"][0]["agent"] == "payments");
    let id = scored.unwrap()["id"].as_str().unwrap();

    explained(&demo, id);
    let judged = demo.run(&["decisions", "feedback", id, "--rejected"]);
    assert_eq!(judged.status.code(), Some(0), "{}", stderr(&judged));

    let same = demo.json(&["replay", "--config", CONFIGURATION]);
    assert_eq!(
        (&same["changed"], &same["uncertain"]),
        (&0.into(), &0.into()),
        "{same}"
    );
    assert!(same["accepted"]["off_policy"].is_null());
    assert!(
        same["accepted"]["before"]["value"].as_f64().unwrap() < 1.0,
        "{same}"
    );

    let changed = demo.file("changed.yaml", without_payments());
    exit_codes(&demo, &changed);
    from_files(&demo, &changed, decisions.len());
    tuned(&demo);
}

fn explained(demo: &Demo, id: &str) {
    let output = demo.run(&["decisions", "explain", id]);
    let shown = stdout(&output);
    assert!(
        shown.contains("`payments` ") && shown.contains("it wins with"),
        "{shown}"
    );
    let json = demo.json(&["decisions", "explain", id]);
    assert_eq!(
        (&json["decision"], &json["limits_known"]),
        (&id.into(), &true.into())
    );
    let question = ["route", "explain", "--text", "How much is tuition?"];
    let shown = stdout(&demo.run(&question));
    assert!(
        shown.contains("verdict") && shown.contains("why not the others:"),
        "{shown}"
    );
    let json = demo.json(&question);
    assert!(
        json["candidates"].is_array() && json["explanation"]["others"].is_array(),
        "{json}"
    );
    let unknown = demo.run(&["decisions", "explain", "no-such-decision"]);
    assert_eq!(unknown.status.code(), Some(1));
}

fn exit_codes(demo: &Demo, changed: &str) {
    let replay = |conditions: &[&str]| {
        let mut arguments = vec!["replay", "--config", changed, "--since", "1h"];
        for condition in conditions {
            arguments.extend(["--fail-on", condition]);
        }
        demo.run(&arguments)
    };
    let fine = replay(&[]);
    assert_eq!(fine.status.code(), Some(0), "{}", stderr(&fine));
    assert!(
        stdout(&fine).contains("exploration did not run"),
        "{}",
        stdout(&fine)
    );
    let failed = replay(&["changed > 1%", "uncertain > 99%"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        stderr(&failed).contains("error: `changed > 1%`: it is "),
        "{}",
        stderr(&failed)
    );
    let unknown = replay(&["accepted > +1pt"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(
        stderr(&unknown).contains("cannot be ruled out"),
        "{}",
        stderr(&unknown)
    );
    assert_eq!(replay(&["changed > 100%"]).status.code(), Some(0));
    let wrong = replay(&["changes > 5"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("there is no `changes`"),
        "{}",
        stderr(&wrong)
    );
    for arguments in [
        vec!["replay", "--config", changed, "--profile", "none"],
        vec!["replay", "--config", changed, "--since", "soon"],
    ] {
        let output = demo.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
    let missing = demo.run(&["replay", "--config", "no/such/file.yaml"]);
    assert_eq!(missing.status.code(), Some(64));
}

fn from_files(demo: &Demo, changed: &str, count: usize) {
    let exported = demo.run(&["decisions", "export"]);
    assert_eq!(stdout(&exported).lines().count(), count);
    let file = demo.file("decisions.jsonl", &exported.stdout);
    let from = |file: &str| demo.json(&["replay", "--config", changed, "--from", file]);
    let (by_file, by_gateway) = (from(&file), demo.json(&["replay", "--config", changed]));
    assert_eq!(by_file, by_gateway);

    let mut damaged = exported.stdout;
    damaged.truncate(damaged.len() - 100);
    damaged.extend(b"\ngarbage\n");
    let damaged = from(&demo.file("damaged.jsonl", &damaged));
    assert_eq!(
        damaged["read"].as_u64(),
        by_file["read"].as_u64().map(|read| read - 1)
    );
    assert_eq!(damaged["source"]["unreadable"], 2);
    let first = damaged["source"]["unreadable_examples"][0]
        .as_str()
        .unwrap();
    assert!(
        first.contains(&format!("damaged.jsonl:{count}: column ")),
        "{first}"
    );

    let garbage = demo.file("garbage.jsonl", "garbage\n");
    let output = demo.run(&["replay", "--config", changed, "--from", &garbage]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("garbage.jsonl:1:"),
        "{}",
        stderr(&output)
    );
    let output = demo.run(&["replay", "--config", changed, "--from", "no/such.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
}

fn tuned(demo: &Demo) {
    let out = demo.folder.path().join("profile.yaml");
    let out = out.to_str().unwrap();
    let arguments = ["tune", "--config", CONFIGURATION, "--out", out];
    let refused = demo.run(&arguments);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stdout(&refused).contains("exploration did not run"),
        "{}",
        stdout(&refused)
    );
    assert!(!std::path::Path::new(out).exists());
    let forced = demo.run(&[&arguments[..], &["--force"]].concat());
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
    let written = std::fs::read_to_string(out).unwrap();
    assert!(written.contains("weights: { fit: 0.3, "), "{written}");
    let odd = demo.run(&["tune", "--config", CONFIGURATION, "--objective", "speed"]);
    assert_eq!(odd.status.code(), Some(2));
}
