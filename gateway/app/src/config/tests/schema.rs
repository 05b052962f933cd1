//! The published schema: up to date, and true to what the program accepts.

use std::{env, fs, path::Path};

use serde_json::{Value, json};

use super::EXAMPLE;
use crate::config::{decode, json_schema, parse};

#[test]
fn the_checked_in_schema_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/a2a-gateway.schema.json");
    let current = format!("{:#}\n", json_schema());
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        golden, current,
        "run the test with UPDATE_GOLDEN=1 and review the difference"
    );
}

/// Reads YAML without the file form.
fn yaml(text: &str) -> Value {
    let environment = |_: &str| Some("token".to_owned());
    let mut reports = Vec::new();
    let mut root = parse::parse(text, &environment, &mut reports)
        .unwrap()
        .unwrap();
    decode::decode(&mut root, &mut reports).unwrap()
}

#[test]
fn the_schema_accepts_the_example() {
    assert_eq!(
        problems(&json_schema(), &yaml(EXAMPLE)),
        Vec::<String>::new()
    );
}

#[test]
fn the_schema_refuses_what_the_program_refuses() {
    for wrong in [
        "{}",
        "agents: []",
        "agents: [{ id: a }]",
        "{ agents: [{ id: a, url: \"http://a\" }], color: blue }",
        "agents: [{ id: a, url: \"http://a\", quality: 2 }]",
        "agents: [{ id: a, url: \"http://a\", effect: harmless }]",
        "agents: [{ id: a, url: \"http://a\", limits: { max_in_flight: 0 } }]",
        "{ agents: [{ id: a, url: \"http://a\" }], store: { path: x } }",
        "{ agents: [{ id: a, url: \"http://a\" }], version: 2 }",
    ] {
        assert_ne!(
            problems(&json_schema(), &yaml(wrong)),
            Vec::<String>::new(),
            "{wrong}"
        );
        super::bad(wrong);
    }
}

#[test]
fn every_key_is_described() {
    let schema = json_schema();
    let definitions = schema["$defs"].as_object().unwrap().values();
    for definition in definitions.chain([&schema]) {
        for (key, property) in definition["properties"].as_object().into_iter().flatten() {
            assert!(property["description"].is_string(), "{key}");
        }
    }
}

/// Checks a value against the parts of JSON Schema that the published schema uses.
fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, found: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        check(root, root.pointer(pointer).unwrap(), value, found);
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let fits = |schema: &Value| {
                let mut inner = Vec::new();
                check(root, schema, value, &mut inner);
                inner.is_empty()
            };
            if !choices.iter().any(fits) {
                found.push(format!("{value} fits none of {choices:?}"));
            }
        }
    }
    check_scalar(schema, value, found);
    for item in value.as_array().into_iter().flatten() {
        check(root, &schema["items"], item, found);
    }
    for (key, member) in value.as_object().into_iter().flatten() {
        let patterns = schema["patternProperties"].as_object();
        match (
            &schema["properties"][key],
            patterns.and_then(|patterns| patterns.values().next()),
        ) {
            (Value::Null, Some(pattern)) => check(root, pattern, member, found),
            (Value::Null, None) if schema["additionalProperties"] == json!(false) => {
                found.push(format!("unknown key {key}"));
            }
            (Value::Null, None) => check(root, &schema["additionalProperties"], member, found),
            (property, _) => check(root, property, member, found),
        }
    }
    for key in schema["required"].as_array().into_iter().flatten() {
        if value.get(key.as_str().unwrap()).is_none() {
            found.push(format!("{key} is missing"));
        }
    }
}

fn check_scalar(schema: &Value, value: &Value, found: &mut Vec<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |allowed: &Value| allowed == kind || (kind == "integer" && allowed == "number");
    let fits = match &schema["type"] {
        Value::Null => true,
        Value::Array(kinds) => kinds.iter().any(is),
        one => is(one),
    };
    if !fits {
        found.push(format!("{value} is no {}", schema["type"]));
    }
    if schema
        .get("const")
        .is_some_and(|constant| constant != value)
        || schema["enum"]
            .as_array()
            .is_some_and(|words| !words.contains(value))
    {
        found.push(format!("{value} is no allowed word"));
    }
    let number = value.as_f64().unwrap_or(0.0);
    if value.is_number()
        && (schema["minimum"]
            .as_f64()
            .is_some_and(|least| number < least)
            || schema["maximum"].as_f64().is_some_and(|most| number > most))
    {
        found.push(format!("{value} is out of range"));
    }
    if schema["minItems"] == json!(1) && value == &json!([]) {
        found.push("too few items".to_owned());
    }
}
