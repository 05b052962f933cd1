//! The program as a person or a script at a terminal meets it: output and exit codes.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

mod card;
mod eval;
mod pages;
mod replay;
mod server;

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_a2a-gateway"))
        .args(arguments)
        .current_dir(root())
        .env_remove("A2A_GATEWAY_CONFIG")
        .env_remove("A2A_GATEWAY_ADMIN")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn worked_example_is_scored_from_its_file() {
    let output = run(&[
        "route",
        "explain",
        "--signals",
        "examples/what-if/signals.yaml",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    for (agent, score) in [("mcp", "0.54"), ("a2a", "0.46"), ("local", "0.42")] {
        let line = shown.lines().find(|line| line.contains(agent)).unwrap();
        assert!(line.contains(score), "{shown}");
    }
}

#[test]
fn worked_example_is_scored_as_json_too() {
    let output = run(&[
        "route",
        "explain",
        "--signals",
        "examples/what-if/signals.yaml",
        "--json",
    ]);
    let scored: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let scores: Vec<f64> = scored
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["score"].as_f64().unwrap())
        .collect();
    for (score, expected) in scores.iter().zip([0.5385, 0.455, 0.42]) {
        assert!((score - expected).abs() < 1e-9, "{scores:?}");
    }
}

#[test]
fn schema_is_the_checked_in_one() {
    let golden = root().join("gateway/app/schema/a2a-gateway.schema.json");
    let golden: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(golden).unwrap()).unwrap();
    let output = run(&["schema"]);
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap(),
        golden
    );
}

#[test]
fn check_tells_good_from_bad_by_exit_code() {
    for good in [
        "examples/university/a2a-gateway.yaml",
        "deploy/a2a-gateway.yaml",
    ] {
        let output = run(&["check", "--config", good]);
        assert_eq!(output.status.code(), Some(0), "{good}: {}", stderr(&output));
    }
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.yaml");
    std::fs::write(
        &bad,
        "version: 1\nagnets: []\nlisten: 0.0.0.0:8080\nagents: [{ id: a, url: \"http://a\" }]\n",
    )
    .unwrap();
    let output = run(&["check", "--config", bad.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    let shown = stderr(&output);
    for expected in [
        "bad.yaml:2:1",
        "agnets: []",
        "did you mean `agents`",
        "bad.yaml:3:",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let missing = run(&["check", "--config", "no/such/file.yaml"]);
    assert_eq!(missing.status.code(), Some(64));
    assert!(stderr(&missing).contains("no/such/file.yaml"));
}

#[test]
fn signals_from_a_file_take_no_question() {
    for question in [
        ["--text", "x"],
        ["--max-latency-ms", "1"],
        ["--max-cost-eur", "1"],
        ["--input-mode", "image/png"],
        ["--output-mode", "image/png"],
    ] {
        let mut arguments = vec![
            "route",
            "explain",
            "--signals",
            "examples/what-if/signals.yaml",
        ];
        arguments.extend(question);
        assert_eq!(run(&arguments).status.code(), Some(2), "{question:?}");
    }
}

#[test]
fn a_port_that_is_no_admin_listener_is_called_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answering = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let _request = connection.read(&mut [0; 4096]).unwrap();
        connection
            .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nnope")
            .unwrap();
    });
    let output = run(&["agents", "--admin", &address]);
    answering.join().unwrap();
    let shown = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("no admin listener") && !shown.contains("no gateway answers"),
        "{shown}"
    );
}

#[test]
fn wrong_usage_and_an_absent_gateway_are_told_apart() {
    assert_eq!(run(&["serve", "--nonsense"]).status.code(), Some(2));
    let absent = run(&["agents", "--admin", "http://127.0.0.1:1"]);
    assert_eq!(absent.status.code(), Some(1));
    let shown = stderr(&absent);
    assert!(
        shown.contains("127.0.0.1:1") && shown.contains("--admin"),
        "{shown}"
    );
}
