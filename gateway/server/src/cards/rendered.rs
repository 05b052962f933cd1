//! Cards as bytes: rendered once for everything they depend on, and served with validators of their own.

use std::{sync::Arc, time::Duration};

use agent_cards::publish::ServedShape;
use axum::{
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY},
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use gateway_core::{AgentId, digest};
use moka::sync::Cache;

use super::{ai_catalog, aside::aside, keys, listing::LastListing};
use crate::{
    Settings,
    base::{FORWARDING, PublicBase},
};

/// Bytes of rendered cards and their keys kept at the same time. The key holds the host the caller names, so
/// callers can make as many entries as they like; counting entries would not bound the memory.
const CAPACITY: u64 = 64 * 1024 * 1024;
/// A rendered card nobody asks for is dropped after this time.
const IDLE: Duration = Duration::from_secs(600);

/// Rendered cards, by everything they depend on.
#[derive(Debug, Clone)]
pub(crate) struct ServedCards {
    kept: Cache<Key, Arc<Rendered>>,
    /// What the federated card lists.
    pub(super) listing: Arc<LastListing>,
}

impl Default for ServedCards {
    fn default() -> Self {
        Self::holding(CAPACITY)
    }
}

impl ServedCards {
    /// Keeps up to so many bytes.
    fn holding(bytes: u64) -> Self {
        Self {
            kept: Cache::builder()
                .max_capacity(bytes)
                .weigher(weight)
                .time_to_idle(IDLE)
                .build(),
            listing: Arc::default(),
        }
    }

    /// Returns a card, rendered now if it was not before; `None` if that ended abnormally.
    pub(super) async fn get(
        &self,
        key: Key,
        render: impl FnOnce() -> Bytes + Send + 'static,
    ) -> Option<Arc<Rendered>> {
        if let Some(rendered) = self.kept.get(&key) {
            return Some(rendered);
        }
        let cards = self.kept.clone();
        aside(move || {
            let document = key.document.clone();
            cards.get_with(key, || Arc::new(Rendered::new(&document, render())))
        })
        .await
    }
}

fn weight(key: &Key, rendered: &Arc<Rendered>) -> u32 {
    let agent = match &key.document {
        Document::OfAgent(agent, _) | Document::Original(agent) => agent.as_str().len(),
        Document::Federated(_) | Document::AiCatalog | Document::KeySet => 0,
    };
    let texts = key.version.len() + key.base.as_str().len() + agent;
    let bytes = size_of::<Key>() + size_of::<Rendered>() + texts;
    u32::try_from(bytes + rendered.etag.len() + rendered.body.len()).unwrap_or(u32::MAX)
}

/// Everything that a rendered card depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) document: Document,
    /// The digest of the catalog, or the fingerprint of the agent's card.
    pub(super) version: String,
    pub(super) base: PublicBase,
}

/// What is served.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Document {
    /// The card of all agents together.
    Federated(ServedShape),
    /// The card of one agent.
    OfAgent(AgentId, ServedShape),
    /// The same as the agent wrote it, in whatever shape.
    Original(AgentId),
    /// The list of the agents' cards, which has one shape.
    AiCatalog,
    /// The key that cards are signed with, which depends on nothing.
    KeySet,
}

impl Document {
    /// Returns the shape of the cards in it.
    pub(super) fn shape(&self) -> ServedShape {
        match self {
            Self::Federated(shape) | Self::OfAgent(_, shape) => *shape,
            Self::Original(_) | Self::AiCatalog | Self::KeySet => ServedShape::V1,
        }
    }

    /// Returns how long readers may keep it. Of a key set that says how long before it signs a new key should be there.
    fn max_age(&self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::KeySet => "public, max-age=300",
            _ => "public, max-age=60",
        })
    }

    fn content_type(&self) -> &'static str {
        match self {
            Self::Federated(_) | Self::OfAgent(..) | Self::Original(_) => "application/json",
            Self::AiCatalog => ai_catalog::MEDIA_TYPE,
            Self::KeySet => keys::MEDIA_TYPE,
        }
    }
}

/// A card as bytes.
#[derive(Debug)]
pub(super) struct Rendered {
    content_type: &'static str,
    max_age: HeaderValue,
    body: Bytes,
    /// Strong, since it is made of the bytes (RFC 9110 §8.8.3).
    etag: String,
}

impl Rendered {
    pub(super) fn new(document: &Document, body: Bytes) -> Self {
        let etag = digest::sha256(&body);
        Self {
            content_type: document.content_type(),
            max_age: document.max_age(),
            etag: format!("\"{}\"", etag.trim_start_matches("sha256:")),
            body,
        }
    }

    /// Answers with the card, or without it if the reader has it already.
    pub(super) fn respond(&self, settings: &Settings, headers: &HeaderMap) -> Response {
        let etag = HeaderValue::from_str(&self.etag).unwrap_or(HeaderValue::from_static("\"\""));
        let validators = [
            (ETAG, etag),
            (CACHE_CONTROL, self.max_age.clone()),
            (VARY, varies_by(settings)),
        ];
        if matches(headers, &self.etag) {
            return (StatusCode::NOT_MODIFIED, validators).into_response();
        }
        let content_type = [(CONTENT_TYPE, self.content_type)];
        (validators, content_type, self.body.clone()).into_response()
    }
}

fn varies_by(settings: &Settings) -> HeaderValue {
    const ALWAYS: &str = "A2A-Version, Authorization";
    let believes_headers = settings.public_url.is_none() && !settings.trusted_proxies.is_empty();
    let all = believes_headers.then(|| format!("{ALWAYS}, {FORWARDING}"));
    all.and_then(|names| names.parse().ok())
        .unwrap_or(HeaderValue::from_static(ALWAYS))
}

/// Compares as for GET: lists, weak tags and `*` count (RFC 9110 §13.1.2).
fn matches(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::settings;

    #[tokio::test]
    async fn hosts_that_callers_make_up_do_not_fill_the_memory() {
        const LIMIT: u64 = 64 * 1024;
        let cards = ServedCards::holding(LIMIT);
        for number in 0..1000 {
            let key = Key {
                document: Document::Federated(ServedShape::V1),
                version: "sha256:0".to_owned(),
                base: PublicBase::from(format!("http://host-{number}")),
            };
            let card = cards.get(key, || Bytes::from(" ".repeat(1024)));
            assert!(card.await.is_some());
        }
        cards.kept.run_pending_tasks();
        let (kept, bytes) = (cards.kept.entry_count(), cards.kept.weighted_size());
        assert!((1..=64).contains(&kept) && bytes <= LIMIT, "{kept} {bytes}");
    }

    #[tokio::test]
    async fn a_card_that_cannot_be_written_harms_no_other() {
        let cards = ServedCards::default();
        let key = || Key {
            document: Document::AiCatalog,
            version: "sha256:0".to_owned(),
            base: PublicBase::from("http://a".to_owned()),
        };
        assert!(cards.get(key(), || panic!("on purpose")).await.is_none());
        assert!(cards.get(key(), || Bytes::from("card")).await.is_some());
    }

    #[test]
    fn c008_lists_and_weak_tags_match() {
        let sent = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static(value));
            matches(&headers, "\"abc\"")
        };
        for hit in ["\"abc\"", "\"zzz\", W/\"abc\"", "*"] {
            assert!(sent(hit), "{hit}");
        }
        for miss in ["\"zzz\"", "abc", ""] {
            assert!(!sent(miss), "{miss}");
        }
    }

    #[test]
    fn caches_are_told_of_forwarding_headers_only_where_they_matter() {
        let mut settings = settings();
        assert_eq!(varies_by(&settings), "A2A-Version, Authorization");
        settings.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        let varies = varies_by(&settings);
        assert!(
            varies.to_str().unwrap().ends_with("X-Forwarded-Prefix"),
            "{varies:?}"
        );
        settings.public_url = Some("https://pub.example".parse().unwrap());
        assert_eq!(varies_by(&settings), "A2A-Version, Authorization");
    }
}
