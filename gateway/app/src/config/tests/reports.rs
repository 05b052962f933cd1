//! How errors look, kind by kind, and that one run shows them all.

use super::{EXAMPLE, bad, parse_with};

/// Compares with the stored reports; the test shows what they are about.
macro_rules! snapshot {
    ($reports:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($reports) })
    };
}

#[test]
fn many_errors_are_reported_in_one_run() {
    snapshot!(bad(include_str!("many_errors.yaml")));
}

#[test]
fn syntax_errors_stand_alone() {
    snapshot!(bad(
        "listen: nonsense\nagents:\n  - { id: a, url: \"http://a\", auth: { bearer: ${TOKEN} } }\n"
    ));
}

#[test]
fn a_file_that_is_no_mapping_is_refused() {
    snapshot!(
        [
            bad(""),
            bad("# only a comment"),
            bad("[1, 2]"),
            bad("--- {}\n--- {}\n")
        ]
        .join("\n\n")
    );
}

#[test]
fn agents_are_required() {
    snapshot!(
        [
            bad("{}"),
            bad("agents: []"),
            bad("agents:"),
            bad("agents: { a: {} }"),
            bad("agents: [a]")
        ]
        .join("\n\n")
    );
}

#[test]
fn incomplete_and_contradicting_credentials_are_refused() {
    snapshot!(bad(r#"agents:
  - { id: a, url: "http://a", auth: {} }
  - { id: b, url: "http://b", auth: { bearer: x, header: X-Key } }
  - { id: c, url: "http://c", auth: { header: X-Key } }
  - { id: d, url: "http://d", auth: { bearer: x, bearer_file: x } }
  - { id: e, url: "http://e", auth: { header: Content-Length, value: x } }
  - { id: f, url: "http://f", auth: { bearer: "a\r\nX-Evil: 1" } }
  - { id: g, url: "http://g", auth: { bearer: "" } }
  - { id: h, url: "http://h", auth: { bearer_file: /nowhere/token } }
"#));
}

#[test]
fn stores_other_than_sqlite_are_refused() {
    let with = |store: &str| {
        bad(&format!(
            "store: {store}\nagents: [{{ id: a, url: \"http://a\" }}]\n"
        ))
    };
    snapshot!(
        [
            with("postgres://db/gateway"),
            with("{ url: \"mysql://db\", max_age: 0s, max_decisions: 0 }"),
            with("sqlite://"),
            with("sqlite://x.db?mode=ro"),
            with("[x]"),
            with("{ path: x }"),
        ]
        .join("\n\n")
    );
}

#[test]
fn listeners_need_consent_and_addresses_of_their_own() {
    let agents = "agents: [{ id: a, url: \"http://a\" }]\n";
    snapshot!(
        [
            bad(&format!(
                "listen: 0.0.0.0:8080\nadmin: {{ listen: 10.0.0.1:9901 }}\n{agents}"
            )),
            bad(&format!("admin: {{ listen: 127.0.0.1:8080 }}\n{agents}")),
            bad(&format!("listen: localhost:8080\n{agents}")),
        ]
        .join("\n\n")
    );
}

#[test]
fn profiles_must_resolve() {
    snapshot!(bad("agents: [{ id: helper, url: \"http://a\" }]
routing:
  default_profile: critcal
  profiles:
    critical: { extends: balancd }
    one: { extends: two }
    two: { extends: three }
    three: { extends: one }
    leads-into: { extends: one }
    self: { extends: self }
    lost: { on_no_fit: { fallback: helpr } }
    odd: { on_no_fit: refuse }
    zero: { weights: { fit: 0, quality: 0, availability: 0, latency: 0, cost: 0, risk: 0 } }
    bad name: {}
"));
}

#[test]
fn shadows_and_exploration_without_effect_are_refused() {
    snapshot!(bad("agents: [{ id: helper, url: \"http://a\" }]
routing:
  shadow: [balanced, carefull, careful, careful]
  profiles:
    careful: { exploration: { share: 0.1 } }
    never: { exploration: { method: epsilon, share: 0 } }
    alone: { exploration: { method: thompson, among: 1 } }
    odd: { exploration: { method: random } }
"));
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let profiles = names.map(|name| format!("{name}: {{}}")).join(", ");
    let many = bad(&format!(
        "agents: [{{ id: helper, url: \"http://a\" }}]
routing: {{ shadow: [{}], profiles: {{ {profiles} }} }}
",
        names.join(", ")
    ));
    assert!(many.contains("too many shadow profiles"), "{many}");
    let alone = "agents: [{ id: helper, url: \"http://a\" }]\nrouting: { shadow: [careful] }\n";
    let alone = bad(alone);
    assert!(alone.contains("known profiles: balanced\n"), "{alone}");
}

#[test]
fn an_embeddings_endpoint_must_be_one_that_may_be_called() {
    let endpoint = |url| {
        bad(&format!(
            "agents: [{{ id: helper, url: \"http://a\" }}]
routing: {{ fit: {{ engine: hybrid, endpoint: {{ url: \"{url}\", model: tiny }} }} }}
"
        ))
    };
    for url in [
        "http://169.254.169.254/v1/embeddings",
        "http://metadata.google.internal/v1",
    ] {
        let said = endpoint(url);
        assert!(said.contains("never called"), "{said}");
    }
}

#[test]
fn an_error_elsewhere_in_an_agent_or_profile_does_not_make_its_name_unknown() {
    let errors = bad(
        "agents: [{ id: helper, url: nonsense }, { id: b, url: \"http://b\" }]
routing:
  default_profile: critical
  profiles:
    critical: 7
    other: { extends: critical, on_no_fit: { fallback: helper } }
",
    );
    assert!(
        errors.contains("not a URL") && errors.contains("expected a mapping for a profile"),
        "{errors}"
    );
    assert!(errors.contains("2 errors"), "{errors}");
}

#[test]
fn values_of_variables_never_appear() {
    const CANARY: &str = "cAnArY\u{7}77";
    let mut refused = 0;
    for (index, line) in EXAMPLE.lines().enumerate() {
        for (at, _) in line.match_indices(": ").chain(line.match_indices(", ")) {
            let (before, after) = line.split_at(at + 2);
            let rest = after
                .find([',', '}', '#'])
                .map_or("", |end| after.split_at(end).1);
            let changed = format!("{before}\"${{CANARY}}\" {rest}");
            let text: Vec<&str> = EXAMPLE
                .lines()
                .enumerate()
                .map(|(other, line)| if other == index { &*changed } else { line })
                .collect();
            if let Err(errors) = parse_with(
                &text.join("\n"),
                &[("CANARY", CANARY), ("BECAS_TOKEN", "t")],
            ) {
                refused += 1;
                assert!(!errors.to_string().contains("cAnArY"), "{errors}");
                assert!(!format!("{errors:?}").contains("cAnArY"), "{errors:?}");
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn credentials_written_into_the_file_are_not_repeated() {
    let valid = bad(
        "agents: [{ id: a, url: \"http://a\", auth: { bearer: t0psecret, hedaer: X, value: als0secret } }]\n",
    );
    let invalid = bad("agents: [{ id: a, auth: { bearer: t0psecret ]\n");
    for errors in [valid, invalid] {
        assert!(
            errors.contains("****") && !errors.contains("secret"),
            "{errors}"
        );
    }
}

#[test]
fn passwords_of_addresses_are_not_repeated() {
    for text in [
        "agents: [{ id: a, url: \"http://u:secret@a/x\", effct: read }]\n",
        "agents:\n  - { id: a, url: http://u:sec@rets@a }\n",
        "agents:\n  - { id: ä, url: http://secret@a?x=y }\n",
        "agents: [{ id: a, url: \"http://u:secret@a\" ]\n",
        "agents: [{ id: a, url: http://a }]\npush: { url: http://u:secret@b }\n",
        "agents: [{ id: a, url: http://a, x: http://b, y: http://u:secret@c }]\n",
    ] {
        let errors = bad(text);
        assert!(
            errors.contains("***") && !errors.contains("sec"),
            "{errors}"
        );
    }
}

#[test]
fn long_and_odd_lines_are_cut_and_cleaned() {
    let agents = "agents: [{ id: a, url: \"http://a\" }]";
    let (before, after) = ("x".repeat(300), "y".repeat(300));
    let long = format!("{agents}\nlog: {{ \"é{before}\": 1,\tlevl: {after} }}\n");
    let odd = format!("{agents}\n\tlog: \u{1b}[2J\n");
    let escaped = format!("{agents}\n\"\\e[2J\": 1\n");
    snapshot!([bad(&long), bad(&odd), bad(&escaped)].join("\n\n"));
}

#[test]
fn a_problem_at_the_end_of_the_file_has_a_line() {
    snapshot!(
        [
            bad("agents: [\n"),
            bad("agents: [{ id: a, url: \"http://a"),
            bad("agents:\r\n- id: A\r\n")
        ]
        .join("\n\n")
    );
}
