//! What clients are served as the card of an agent or of the whole.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, V1, V03},
    mock::Mock,
    world::{
        Setup, World,
        client::{Reply, receive},
    },
};

const PLACES: [&str; 4] = [
    "",
    "/",
    "/.well-known/agent-card.json",
    "/.well-known/agent.json",
];

async fn card(world: &World, path: &str, version: Option<&str>) -> Reply {
    let mut request = world.request(reqwest::Method::GET, path);
    if let Some(version) = version {
        request = request.header("a2a-version", version);
    }
    let reply = receive(request).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    reply
}

/// Returns every address in a card, whatever its shape.
fn addresses(card: &Value) -> Vec<String> {
    let lists = ["supportedInterfaces", "additionalInterfaces"];
    let listed = lists
        .iter()
        .filter_map(|name| card[name].as_array())
        .flatten();
    let urls = listed
        .map(|interface| &interface["url"])
        .chain([&card["url"]]);
    urls.filter_map(Value::as_str).map(str::to_owned).collect()
}

async fn world_with_paths() -> (World, Mock) {
    let mock = Mock::start(V1, "tock").await;
    let base = mock.url() + "/a2a/tock";
    let mut card = V1.card("tock", "unused");
    card["supportedInterfaces"] = json!([
        { "url": format!("{base}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        { "url": format!("{base}/old"), "protocolBinding": "JSONRPC", "protocolVersion": "0.3" },
        { "url": format!("{base}/rest?k=1"), "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" }
    ]);
    mock.serves_card(&card);
    mock.answers(|call| {
        if call.target.ends_with("/old") {
            V03.obliging(call)
        } else {
            V1.obliging(call)
        }
    });
    (Setup::new().agent("tick", &mock).start().await, mock)
}

#[tokio::test]
async fn c005_served_addresses_are_the_gateways_own_and_work() {
    let (world, mock) = world_with_paths().await;
    for (prefix, expected) in [("/agents/tick", "/agents/tick"), ("/a2a", "/a2a")] {
        for version in [None, Some("0.3"), Some("1.0")] {
            let first = card(&world, &format!("{prefix}{}", PLACES[0]), version).await;
            for place in PLACES {
                let same = card(&world, &format!("{prefix}{place}"), version).await;
                assert_eq!(same.body, first.body, "{prefix}{place}");
            }
            for inner in [mock.address(), "/a2a/tock", "rest?k=1"] {
                assert!(!first.body.contains(inner), "{inner} in {}", first.body);
            }
            let found = addresses(&first.json());
            assert!(!found.is_empty(), "{}", first.body);
            for url in found {
                // gRPC addresses have no path: the tenant names the agent.
                let own = format!("http://{}{expected}", world.address());
                assert!(url == own || url == world.address(), "{version:?} {url}");
            }
        }
        for dialect in BOTH {
            let reply = world.post(expected, dialect.send("ping")).await;
            assert_eq!(
                reply.task()["status"]["state"],
                dialect.state("completed"),
                "{}",
                reply.body
            );
        }
    }
}

#[tokio::test]
async fn c005_a_public_address_with_a_prefix_is_written_once_into_every_address() {
    for public in ["https://pub.example/edge", "https://pub.example/edge/"] {
        let mock = Mock::start(V1, "alpha").await;
        let world = Setup::new()
            .agent("alpha", &mock)
            .section(&format!("public_url: {public}"))
            .start()
            .await;
        for (path, url) in [
            ("/agents/alpha", "https://pub.example/edge/agents/alpha"),
            ("/a2a", "https://pub.example/edge/a2a"),
            (
                "/.well-known/agent-card.json",
                "https://pub.example/edge/a2a",
            ),
        ] {
            for version in ["0.3", "1.0"] {
                let served = card(&world, path, Some(version)).await;
                let found = addresses(&served.json());
                assert!(!found.is_empty(), "{}", served.body);
                let own = |found: &String| found == url || found == "pub.example:443";
                assert!(found.iter().all(own), "{path}: {found:?}");
                assert!(!served.body.contains(world.address()));
            }
        }
    }
}

/// Gets a document as through a front that ends TLS and strips a prefix.
async fn through_front(world: &World, path: &str) -> Reply {
    let request = world.request(reqwest::Method::GET, path);
    receive(
        request
            .header("x-forwarded-proto", "https")
            .header("x-forwarded-host", "pub.example")
            .header("x-forwarded-prefix", "/edge"),
    )
    .await
}

#[tokio::test]
async fn c111_a_trusted_front_tells_the_public_address_and_others_do_not() {
    for (trusted, base) in [
        (
            "trusted_proxies: [127.0.0.0/8]",
            Some("https://pub.example/edge"),
        ),
        ("trusted_proxies: [10.0.0.0/8]", None),
        ("", None),
    ] {
        let mock = Mock::start(V1, "alpha").await;
        let world = Setup::new()
            .agent("alpha", &mock)
            .section(trusted)
            .start()
            .await;
        let own = format!("http://{}", world.address());
        for path in ["/agents/alpha", "/.well-known/agent-card.json"] {
            let direct = card(&world, path, None).await;
            let fronted = through_front(&world, path).await;
            assert!(direct.body.contains(&own) && !direct.body.contains("pub.example"));
            let expected = base.unwrap_or(&own);
            for url in addresses(&fronted.json()) {
                let grpc = expected.split('/').nth(2).unwrap();
                assert!(url.starts_with(expected) || url.starts_with(grpc), "{url}");
            }
            let shared = fronted.header("etag") == direct.header("etag");
            assert_eq!(shared, base.is_none(), "{trusted} {path}");
        }
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let (world, _mock) = world_with_paths().await;
    for path in [
        "/agents/tick/.well-known/agent-card.json",
        "/.well-known/agent-card.json",
        "/.well-known/ai-catalog.json",
    ] {
        let get = card(&world, path, None).await;
        let head = receive(world.request(reqwest::Method::HEAD, path)).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        for name in [
            "etag",
            "cache-control",
            "vary",
            "content-type",
            "content-length",
        ] {
            assert!(get.header(name).is_some(), "{path}: {name}");
            assert_eq!(head.header(name), get.header(name), "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn the_ai_catalog_leads_to_the_card_of_each_agent() {
    let alpha = Mock::start(V1, "alpha").await;
    let without = Mock::bare().await;
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("without", &without)
        .start()
        .await;
    let listed = card(&world, "/.well-known/ai-catalog.json", None).await;
    assert_eq!(
        listed.header("content-type"),
        Some("application/ai-catalog+json")
    );
    let list = listed.json();
    assert_eq!(list["specVersion"], "0.9");
    let entries = list["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "only agents with a card: {list}");
    let url = entries[0]["url"].as_str().unwrap();
    let path = url
        .strip_prefix(&format!("http://{}", world.address()))
        .unwrap();
    assert_eq!(card(&world, path, None).await.json()["name"], "alpha");
}

#[tokio::test]
async fn the_federated_card_lists_the_skills_of_all_agents() {
    let (alpha, beta) = (
        Mock::start(V1, "alpha").await,
        Mock::start(V03, "beta").await,
    );
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .start()
        .await;
    let served = card(&world, "/.well-known/agent-card.json", Some("1.0"))
        .await
        .json();
    let skills: Vec<_> = served["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| &skill["id"])
        .collect();
    assert_eq!(skills, ["alpha.echo", "beta.echo"]);
    assert_eq!(served["capabilities"]["streaming"], true);
    assert!(served.get("signatures").is_none());
}

#[tokio::test]
async fn c008_validators_of_served_cards_follow_what_is_served() {
    let (mut world, _mock) = world_with_paths().await;
    for path in [
        "/agents/tick/.well-known/agent-card.json",
        "/.well-known/agent-card.json",
    ] {
        let first = card(&world, path, None).await;
        let tag = first.header("etag").unwrap().to_owned();
        assert!(first.header("cache-control").unwrap().contains("max-age="));
        for sent in [
            tag.clone(),
            format!("\"zzz\", W/{tag}"),
            format!("W/{tag}"),
            "*".to_owned(),
        ] {
            let request = world.request(reqwest::Method::GET, path);
            let again = receive(request.header("if-none-match", &sent)).await;
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{sent}");
            assert_eq!(again.header("etag"), Some(tag.as_str()));
        }
        let request = world.request(reqwest::Method::GET, path);
        let other = receive(request.header("if-none-match", "\"zzz\"")).await;
        assert_eq!((other.status, &other.body), (200, &first.body));
        let shape = card(&world, path, Some("0.3")).await;
        assert_ne!(
            shape.header("etag"),
            card(&world, path, Some("1.0")).await.header("etag")
        );
        let host = world
            .request(reqwest::Method::GET, path)
            .header("host", "other.example");
        assert_ne!(receive(host).await.header("etag"), Some(tag.as_str()));
    }
    let before = card(&world, "/agents/tick", None).await;
    world.change(|setup| setup.section("public_url: https://pub.example"));
    world.restart().await;
    let after = card(&world, "/agents/tick", None).await;
    assert_ne!(before.header("etag"), after.header("etag"));
}

#[tokio::test]
async fn unknown_agents_and_agents_without_a_card_have_none_to_serve() {
    let mock = Mock::bare().await;
    let world = World::of("alpha", &mock).await;
    assert_eq!(world.get("/agents/alpha").await.status, 503);
    for id in ["beta", "ALPHA", "..%2Falpha", "alpha%20"] {
        assert_eq!(
            world.get(&format!("/agents/{id}")).await.status,
            404,
            "{id}"
        );
    }
}

#[tokio::test]
async fn skills_that_the_federated_card_has_no_place_for_are_counted() {
    let mock = Mock::start(V1, "alpha").await;
    let mut offered = V1.card("alpha", &mock.rpc_url());
    let skill = |number| json!({ "id": format!("s{number}"), "name": format!("skill {number}"), "description": "d", "tags": [] });
    offered["skills"] = (0..1003).map(skill).collect();
    mock.serves_card(&offered);
    let world = World::of("alpha", &mock).await;
    world
        .agent_becomes("alpha", "ready", |agent| agent["state"] == "ready")
        .await;
    let served = card(&world, "/.well-known/agent-card.json", None).await;
    assert_eq!(served.json()["skills"].as_array().unwrap().len(), 1000);
    let listed = world.admin_get("/v1/agents").await.json();
    assert_eq!(
        listed["federated_card"],
        json!({ "skills": 1000, "left_out": 3 })
    );
}
