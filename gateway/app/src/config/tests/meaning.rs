//! What a valid file means: defaults, inheritance, variables, secrets.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use gateway_core::{
    AgentAuth, Effect, Exploration, OnAmbiguous, OnNoFit, profile::Method, push::AllowList,
};
use secrecy::ExposeSecret;

use super::{EXAMPLE, bad, good, parse_with};
use crate::config::{Config, FitConfig, LogFormat, load, parse};

const MINIMAL: &str = r#"agents: [{id: a, url: "http://127.0.0.1:7001"}]"#;

fn with_agent(lines: &str) -> String {
    format!("agents:\n  - id: a\n    url: http://127.0.0.1:7001\n{lines}")
}

fn secret(config: &Config) -> String {
    match &config.agents[0].auth {
        AgentAuth::None => "none".to_owned(),
        AgentAuth::Bearer(secret) => format!("bearer {}", secret.expose_secret()),
        AgentAuth::Header { name, value } => format!("{name} {}", value.expose_secret()),
    }
}

#[test]
fn a_minimal_file_has_safe_defaults() {
    let config = good(MINIMAL);
    assert_eq!(config.public_url, None);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.admin.listen.to_string(), "127.0.0.1:9901");
    assert!(!config.open && !config.admin.open);
    assert_eq!(config.store.path, Path::new("/etc/gateway/a2a-gateway.db"));
    assert_eq!(config.store.max_age, Duration::from_secs(90 * 86_400));
    assert_eq!(config.store.max_decisions, 1_000_000);
    assert_eq!(config.key_file, Path::new("/etc/gateway/a2a-gateway.key"));
    assert_eq!(config.limits.max_body, 4 << 20);
    assert_eq!(config.limits.stream_keep_alive, Duration::from_secs(15));
    assert_eq!(config.limits.drain, Duration::from_secs(10));
    assert_eq!(config.push.callback_url, None);
    assert_eq!(config.push.allow, AllowList::default());
    assert_eq!(config.push.timeout, Duration::from_secs(15));
    assert_eq!(config.push.max_attempts, 12);
    assert_eq!(config.push.max_age, Duration::from_secs(86_400));
    assert_eq!(config.log.format, LogFormat::Pretty);
    assert_eq!(config.log.level, "info");
    assert!(matches!(config.fit, FitConfig::Lexical));
    assert_eq!(config.default_profile, "balanced");
    assert_eq!(config.profiles.len(), 1);
    assert!(config.shadow.is_empty());
    assert_eq!(config.version_hash.len(), "sha256:".len() + 64);
}

#[test]
fn an_agent_of_id_and_url_has_safe_defaults() {
    let agent = good(MINIMAL).agents.remove(0);
    assert!(matches!(agent.auth, AgentAuth::None));
    assert_eq!(agent.card.url, None);
    assert_eq!(agent.card.ttl, Duration::from_secs(300));
    assert_eq!(agent.card.max_stale, Duration::from_secs(86_400));
    assert_eq!(agent.card.timeout, Duration::from_secs(10));
    assert_eq!(agent.card.max_bytes, 1 << 20);
    assert_eq!(agent.limits.connect, Duration::from_secs(5));
    assert_eq!(agent.limits.timeout, Duration::from_secs(60));
    assert_eq!(agent.limits.stream_idle, Duration::from_secs(300));
    assert_eq!(agent.limits.max_in_flight, 64);
    assert_eq!(agent.limits.max_response_bytes, 16 << 20);
    assert_eq!(agent.limits.max_event_bytes, 4 << 20);
    assert_eq!(
        (agent.quality, agent.latency, agent.preference),
        (0.8, None, 0)
    );
    assert_eq!(
        (agent.cost.per_request, agent.cost.currency.as_str()),
        (0.0, "EUR")
    );
    assert_eq!(agent.effect, Effect::ReversibleWrite);
    assert!(agent.skills.is_empty());
}

#[test]
fn the_hybrid_engine_needs_one_line() {
    let config = good(&with_agent("routing: { fit: { engine: hybrid } }\n"));
    let FitConfig::Hybrid { model } = config.fit else {
        panic!("another engine");
    };
    assert_eq!(
        model,
        PathBuf::from("/etc/gateway/models/use-multilingual-v3")
    );
}

#[test]
fn a_model_behind_an_address_needs_address_and_name() {
    let config = good(&with_agent(
        "routing: { fit: { engine: hybrid, endpoint: { url: \"https://e.example/v1/embeddings\", model: tiny } } }\n",
    ));
    let FitConfig::Endpoint(endpoint) = config.fit else {
        panic!("another engine");
    };
    assert_eq!(endpoint.url.as_str(), "https://e.example/v1/embeddings");
    assert_eq!(endpoint.model, "tiny");
    assert!(matches!(endpoint.auth, AgentAuth::None));
    assert_eq!(
        (endpoint.timeout, endpoint.dimensions),
        (Duration::from_millis(200), None)
    );
}

#[test]
fn every_key_of_a_model_behind_an_address_takes_effect() {
    let config = good(&with_agent(
        "routing: { fit: { engine: hybrid, endpoint: { url: \"http://e.example/x\", model: tiny, \
         auth: { header: api-key, value: k }, timeout: 90ms, dimensions: 256 } } }\n",
    ));
    let FitConfig::Endpoint(endpoint) = config.fit else {
        panic!("another engine");
    };
    let AgentAuth::Header { name, value } = &endpoint.auth else {
        panic!("another credential");
    };
    assert_eq!((name.as_str(), value.expose_secret()), ("api-key", "k"));
    assert_eq!(
        (endpoint.timeout, endpoint.dimensions),
        (Duration::from_millis(90), Some(256))
    );
}

#[test]
fn a_model_behind_an_address_is_checked() {
    let endpoint = |fit: &str| bad(&with_agent(&format!("routing: {{ fit: {{ {fit} }} }}\n")));
    for (fit, help) in [
        (
            "endpoint: { url: \"http://e\", model: a }",
            "add `engine: hybrid`, or remove `endpoint`",
        ),
        (
            "engine: hybrid, model: folder, endpoint: { url: \"http://e\", model: a }",
            "keep `model` or `endpoint`",
        ),
        (
            "engine: hybrid, endpoint: { url: \"http://e\", model: \" \" }",
            "the model has no name",
        ),
        (
            "engine: hybrid, endpoint: { url: \"http://e\", model: a, dimensions: 9000 }",
            "8192 or less",
        ),
        (
            "engine: hybrid, endpoint: { url: \"http://e\", model: a, api_key: k }",
            "api_key",
        ),
        ("engine: hybrid, endpoint: { url: \"http://e\" }", "model"),
    ] {
        let text = endpoint(fit);
        assert!(text.contains(help), "{fit}: {text}");
    }
    let text = endpoint(
        "engine: hybrid, model: x, endpoint: { url: \"http://e\", model: a, auth: { bearer: s3cret } }",
    );
    assert!(!text.contains("s3cret"), "{text}");
}

#[test]
fn a_model_for_the_lexical_engine_is_refused() {
    let text = bad(&with_agent("routing: { fit: { model: somewhere } }\n"));
    assert!(text.contains("add `engine: hybrid`"), "{text}");
}

#[test]
fn the_example_is_valid() {
    let config = parse_with(EXAMPLE, &[("BECAS_TOKEN", "t0k3n")]).unwrap();
    assert_eq!(config.agents.len(), 2);
    assert_eq!(
        config.profiles["balanced"].version(),
        good(MINIMAL).profiles["balanced"].version()
    );
}

#[test]
fn every_key_takes_effect() {
    let text = include_str!("every_key.yaml");
    let config = parse_with(text, &[("BECAS_TOKEN", "t0k3n")]).unwrap();
    insta::assert_debug_snapshot!(config);
}

#[test]
fn exploration_and_ambiguity_are_inherited_part_by_part() {
    let config = good(&with_agent(
        "routing:
  learning: { prior_strength: 20 }
  profiles:
    base: { exploration: { method: epsilon, share: 0.2 }, ambiguity_likeness: 0.6 }
    drawn: { extends: base, exploration: { method: thompson, among: 3 }, on_ambiguous: reject }
    still: { extends: base, exploration: { method: none } }
",
    ));
    let drawn = &config.profiles["drawn"];
    assert_eq!(
        drawn.exploration,
        Exploration {
            method: Method::Thompson,
            share: 0.2,
            max_effect: Effect::Read,
            among: 3,
            prior_strength: 20.0,
        }
    );
    assert_eq!(
        (drawn.ambiguity.on_ambiguous, drawn.ambiguity.likeness),
        (OnAmbiguous::Reject, 0.6)
    );
    assert!(config.profiles["still"].exploration.is_off());
    assert!(config.profiles["balanced"].exploration.is_off());
}

#[test]
fn profiles_merge_partial_weights_over_what_they_extend() {
    let config = good(&with_agent(
        "routing:
  default_profile: deep
  profiles:
    balanced: { min_fit: 0.3 }
    critical: { extends: balanced, weights: { quality: .45, cost: 0 }, on_no_fit: { fallback: a } }
    deep: { extends: critical, weights: { cost: 0.5 }, references: { latency: 1s }, on_no_fit: reject }
    alone: { max_risk: 0.5 }
",
    ));
    let profile = |name: &str| config.profiles[name].clone();
    assert_eq!(config.default_profile, "deep");
    assert_eq!(
        (profile("balanced").min_fit, profile("balanced").weights.fit),
        (0.3, 0.3)
    );
    let critical = profile("critical");
    assert_eq!(
        (
            critical.weights.quality,
            critical.weights.cost,
            critical.weights.fit
        ),
        (0.45, 0.0, 0.3)
    );
    assert_eq!(critical.min_fit, 0.3);
    assert!(matches!(&critical.on_no_fit, OnNoFit::Fallback(id) if id.as_str() == "a"));
    let deep = profile("deep");
    assert_eq!((deep.weights.quality, deep.weights.cost), (0.45, 0.5));
    assert_eq!(
        (deep.reference_latency, deep.reference_cost),
        (Duration::from_secs(1), 0.1)
    );
    assert_eq!(
        (&deep.on_no_fit, deep.name.as_str()),
        (&OnNoFit::Reject, "deep")
    );
    assert_eq!(
        (profile("alone").min_fit, profile("alone").max_risk),
        (0.25, 0.5)
    );
}

#[test]
fn plain_scalars_are_typed_after_interpolation() {
    let text = with_agent(
        "    limits: { connect: 5s }\n    quality: ${Q}\n    preference: 1${ZERO}\nlisten: 127.0.0.1:${PORT}\n",
    );
    let config = parse_with(&text, &[("Q", "0.5"), ("ZERO", "0"), ("PORT", "9000")]).unwrap();
    assert_eq!(
        (config.agents[0].quality, config.agents[0].preference),
        (0.5, 10)
    );
    assert_eq!(config.listen.port(), 9000);
    let quoted = with_agent("    quality: \"${Q}\"\n");
    let errors = parse_with(&quoted, &[("Q", "0.5")])
        .unwrap_err()
        .to_string();
    assert!(errors.contains("expected a number, found text"), "{errors}");
}

#[test]
fn a_variable_cannot_add_structure() {
    let text = with_agent("    auth: { bearer: \"${T}\" }\n");
    let config = parse_with(&text, &[("T", "a, b: { c }")]).unwrap();
    assert_eq!(secret(&config), "bearer a, b: { c }");
}

#[test]
fn tokens_that_look_like_numbers_stay_text() {
    let config = parse_with(
        &with_agent("    auth:\n      bearer: ${T}\n"),
        &[("T", "0012")],
    )
    .unwrap();
    assert_eq!(secret(&config), "bearer 0012");
}

#[test]
fn secrets_from_files_are_trimmed_and_kept_to_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("token"), "s3cret\r\n").unwrap();
    fs::write(folder.path().join("torn"), "s3c\nX-Evil: 1").unwrap();
    let run = |lines: &str| parse("f.yaml", folder.path(), &with_agent(lines), &|_| None);
    assert_eq!(
        secret(&run("    auth: { bearer_file: token }\n").unwrap()),
        "bearer s3cret"
    );
    let header = "    auth: { header: X-Key, value_file: ./token }\n";
    assert_eq!(secret(&run(header).unwrap()), "X-Key s3cret");
    let errors = run("    auth: { bearer_file: torn }\n")
        .unwrap_err()
        .to_string();
    assert!(
        errors.contains("line break inside") && !errors.contains("s3c"),
        "{errors}"
    );
}

#[test]
fn the_file_is_read_and_its_folder_is_where_paths_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gateway.yaml");
    fs::write(&path, format!("store: sqlite://data/x.db\n{MINIMAL}")).unwrap();
    let config = load(&path, &|_| None).unwrap();
    assert_eq!(config.store.path, folder.path().join("data/x.db"));
    assert_eq!(config.key_file, folder.path().join("data/a2a-gateway.key"));
    let missing = load(&folder.path().join("none.yaml"), &|_| None)
        .unwrap_err()
        .to_string();
    assert!(missing.contains("cannot read"), "{missing}");
}

#[test]
fn open_listeners_must_be_meant() {
    let open = format!(
        "listen: 0.0.0.0:8080\nidentity: {{ open: true }}\nadmin: {{ listen: \"[::]:1\", open: true }}\n{MINIMAL}"
    );
    assert!(good(&open).open);
    assert!(bad(&open.replace("open: true", "open: false")).contains("2 errors"));
    assert!(!good(&format!("listen: \"[::1]:8080\"\n{MINIMAL}")).open);
}

#[test]
fn webhook_targets_must_be_hosts_or_networks_that_are_ever_called() {
    let with = |target: &str| format!("push: {{ allow: [\"{target}\"] }}\n{MINIMAL}");
    assert_ne!(
        good(&with("hooks.internal:9000")).push.allow,
        AllowList::default()
    );
    for (target, problem) in [
        ("http://hooks.internal", "not a host or network"),
        ("10.0.0.0/33", "not a host or network"),
        ("169.254.169.254", "link-local"),
        ("169.254.0.0/16", "link-local"),
        ("fe80::1", "link-local"),
    ] {
        let errors = bad(&with(target));
        assert!(errors.contains(problem), "{target}: {errors}");
    }
    let query = format!("push: {{ callback_url: \"http://gw/?x\" }}\n{MINIMAL}");
    assert!(bad(&query).contains("must not have a query"));
}

#[test]
fn aliases_repeat_values() {
    let config = good(
        "agents:
  - { id: a, url: \"http://a\", limits: &slow { timeout: 10m } }
  - { id: b, url: \"http://b\", limits: *slow }
",
    );
    assert_eq!(config.agents[1].limits.timeout, Duration::from_secs(600));
}

#[test]
fn equal_texts_have_equal_hashes_and_others_do_not() {
    assert_eq!(good(MINIMAL).version_hash, good(MINIMAL).version_hash);
    assert_ne!(
        good(MINIMAL).version_hash,
        good(&format!("{MINIMAL}\n")).version_hash
    );
}
