//! What the documentation shows: configurations, commands and links.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{root, run, stderr, stdout};

/// The pages for those who run the gateway.
const PAGES: [&str; 5] = [
    "README.md",
    "gateway/CARDS.md",
    "gateway/CLIENTS.md",
    "gateway/OPERATING.md",
    "gateway/ROUTING.md",
];

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Writes the keys that configurations on the pages name.
fn write_keys(folder: &Path) {
    let pem = rcgen::KeyPair::generate().unwrap().serialize_pem();
    let key = agent_cards::SigningKey::from_pem(pem.as_bytes()).unwrap();
    let set = format!("{{\"keys\":[{}]}}", key.public_jwk());
    for (name, text) in [
        ("card-signing.pem", &pem),
        ("partners.jwks.json", &set),
        ("payments.jwks.json", &set),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn configurations_on_the_pages_are_good() {
    let pages = PAGES.map(|page| read(&root().join(page)));
    let blocks: Vec<&str> = pages
        .iter()
        .flat_map(|page| page.split("```yaml\n").skip(1))
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(blocks.len() >= 5, "{}", blocks.len());
    let folder = tempfile::tempdir().unwrap();
    write_keys(folder.path());
    for (number, block) in blocks.iter().enumerate() {
        let path = folder.path().join(format!("page-{number}.yaml"));
        fs::write(&path, block).unwrap();
        let output = run(&["check", "--config", path.to_str().unwrap()]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{block}\n{}",
            stderr(&output)
        );
    }
}

#[test]
fn commands_about_cards_are_understood() {
    let pages = PAGES.map(|page| read(&root().join(page)));
    let lines = pages.iter().flat_map(|page| page.lines());
    let mut seen = 0;
    for line in lines.filter_map(|line| line.strip_prefix("a2a-gateway card ")) {
        let words = line.split(" #").next().unwrap().split_whitespace();
        let arguments: Vec<&str> = ["card"]
            .into_iter()
            .chain(words)
            .chain(["--help"])
            .collect();
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{line} {output:?}");
        seen += 1;
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn every_key_of_a_configuration_is_in_the_example() {
    let schema: Value = serde_json::from_str(&stdout(&run(&["schema"]))).unwrap();
    let mut keys = HashSet::new();
    collect_keys(&schema, &mut keys);
    assert!(keys.len() > 80, "{}", keys.len());
    let example = read(&root().join("gateway/app/schema/example.yaml"));
    let words = example.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let words: HashSet<&str> = words.collect();
    let missing: Vec<_> = keys
        .iter()
        .filter(|key| !words.contains(key.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn collect_keys(schema: &Value, keys: &mut HashSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            members.values().for_each(|one| collect_keys(one, keys));
        }
        Value::Array(items) => items.iter().for_each(|one| collect_keys(one, keys)),
        _ => {}
    }
}

#[test]
fn links_lead_somewhere() {
    let mut pages = Vec::new();
    collect_pages(&root(), &mut pages);
    assert!(pages.len() > 15, "{pages:?}");
    let mut seen = 0;
    for page in &pages {
        for link in links(&read(page)) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().unwrap().join(path),
            };
            let place = format!("{link} in {}", page.display());
            assert!(target.exists(), "{place}");
            let is_page = target.extension().is_some_and(|end| end == "md");
            if !anchor.is_empty() && is_page {
                assert!(anchors(&read(&target)).contains(anchor), "{place}");
            }
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Finds all pages of the project, but not those of what tests install.
fn collect_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "node_modules"].contains(&name) {
            collect_pages(&path, pages);
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
}

/// Returns a page without its blocks of code.
fn prose(page: &str) -> String {
    let blocks = page.split("\n```").step_by(2);
    blocks.collect::<Vec<_>>().join("\n")
}

/// Returns the links of a page that stay within the project.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let ends = prose.split("](").skip(1);
    let targets = ends.filter_map(|rest| rest.split([')', ' ', '\n']).next());
    let inner = targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    inner.map(str::to_owned).collect()
}

/// Returns the anchors of a page's headings, as code hosts make them.
fn anchors(page: &str) -> HashSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
        text.chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(anchor).collect()
}
