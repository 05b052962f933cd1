//! How long a card may be used by its caching headers (RFC 9111 and 5861), within bounds.
//!
//! `must-revalidate`, `no-cache` and `no-store` do not forbid the use of the last good card while its agent is
//! down: many servers send them with everything, and how long a card outlives its agent is for the operator to
//! say. `stale-if-error` is about nothing else, so it counts.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};
use http_cache_semantics::{CacheOptions, CachePolicy};

/// A shorter life than this would ask the agent for its card about as often as for work.
const SHORTEST: Duration = Duration::from_secs(5);
/// A longer one would leave changes unseen for days.
const LONGEST: Duration = Duration::from_hours(24);

/// Headers that a 304 brings up to date (RFC 9111 §3.2).
const RENEWED: [HeaderName; 7] = [
    header::AGE,
    header::CACHE_CONTROL,
    header::DATE,
    header::ETAG,
    header::EXPIRES,
    header::LAST_MODIFIED,
    header::PRAGMA,
];

/// How a card may be kept and used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Freshness {
    /// How long it may be used without asking.
    pub(super) lifetime: Duration,
    /// How long after that it may be used while it is asked for again.
    pub(super) while_revalidating: Duration,
    /// How long after that it may be used while it cannot be asked for, if the agent says.
    pub(super) if_error: Option<Duration>,
    /// Whether it may be kept at all.
    pub(super) storable: bool,
}

impl Freshness {
    /// Reads the headers of a response that came just now; `ttl` holds where they say nothing.
    pub(super) fn of(headers: &HeaderMap, ttl: Duration) -> Self {
        let directives = directives(headers);
        let has = |name: &str| directives.contains_key(name);
        let seconds = |name: &str| {
            let seconds = directives.get(name)?.parse().ok()?;
            Some(Duration::from_secs(seconds).min(LONGEST))
        };
        let storable = !has("no-store");
        let lifetime = if !storable || has("no-cache") {
            Duration::ZERO
        } else if has("max-age") || headers.contains_key(header::EXPIRES) {
            time_to_live(headers).clamp(SHORTEST, LONGEST)
        } else {
            ttl
        };
        Self {
            lifetime,
            while_revalidating: seconds("stale-while-revalidate").unwrap_or_default(),
            if_error: seconds("stale-if-error"),
            storable,
        }
    }
}

/// Returns the headers that make a request conditional on the card kept with these headers.
pub(super) fn conditions(kept: &HeaderMap) -> HeaderMap {
    let pairs = [
        (header::ETAG, header::IF_NONE_MATCH),
        (header::LAST_MODIFIED, header::IF_MODIFIED_SINCE),
    ];
    let present = pairs
        .into_iter()
        .filter_map(|(from, to)| Some((to, kept.get(from)?.clone())));
    present.collect()
}

/// Brings kept headers up to date with those of a 304.
pub(super) fn renew(kept: &HeaderMap, not_modified: &HeaderMap) -> HeaderMap {
    let mut headers = kept.clone();
    // An age that is not repeated starts over.
    headers.remove(header::AGE);
    for name in RENEWED {
        if let Some(value) = not_modified.get(&name) {
            headers.insert(name, value.clone());
        }
    }
    headers
}

/// Returns the directives in lower case with their arguments; the first of a name counts.
fn directives(headers: &HeaderMap) -> HashMap<String, String> {
    let field = if headers.contains_key(header::CACHE_CONTROL) {
        header::CACHE_CONTROL
    } else {
        header::PRAGMA
    };
    let values = headers
        .get_all(field)
        .into_iter()
        .filter_map(|value: &HeaderValue| value.to_str().ok());
    let mut directives = HashMap::new();
    for directive in values.flat_map(|value| value.split(',')) {
        let (name, argument) = directive.split_once('=').unwrap_or((directive, ""));
        let argument = argument.trim().trim_matches('"').to_owned();
        directives
            .entry(name.trim().to_ascii_lowercase())
            .or_insert(argument);
    }
    directives
}

fn time_to_live(headers: &HeaderMap) -> Duration {
    let now = SystemTime::now();
    let mut response = Response::new(());
    *response.headers_mut() = headers.clone();
    // The gateway asks for itself, with its own credential: what is `private` is private to it.
    let options = CacheOptions {
        shared: false,
        ..CacheOptions::default()
    };
    CachePolicy::new_options(&Request::new(()), &response, now, options).time_to_live(now)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Freshness, conditions, renew};

    const TTL: Duration = Duration::from_secs(77);

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |&(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        fields.iter().map(pair).collect()
    }

    fn seconds(fields: &[(&'static str, &'static str)]) -> u64 {
        Freshness::of(&headers(fields), TTL).lifetime.as_secs()
    }

    #[test]
    fn c009_headers_set_the_lifetime_within_bounds() {
        assert_eq!(seconds(&[("cache-control", "max-age=300")]), 300);
        assert_eq!(
            seconds(&[("cache-control", "private, max-age=300"), ("age", "100")]),
            200
        );
        assert_eq!(seconds(&[("cache-control", "max-age=2")]), 5);
        assert_eq!(
            seconds(&[("cache-control", "max-age=31536000, immutable")]),
            86_400
        );
        assert_eq!(
            seconds(&[
                ("date", "Mon, 30 Nov 2026 09:00:00 GMT"),
                ("expires", "Mon, 30 Nov 2026 09:10:00 GMT")
            ]),
            600
        );
    }

    #[test]
    fn silence_leaves_the_configured_lifetime() {
        assert_eq!(seconds(&[]), 77);
        assert_eq!(
            seconds(&[("etag", "\"1\""), ("cache-control", "public")]),
            77
        );
        assert_eq!(
            seconds(&[("last-modified", "Mon, 30 Nov 2020 09:00:00 GMT")]),
            77
        );
    }

    #[test]
    fn no_cache_and_no_store_leave_no_lifetime() {
        for field in [
            ("cache-control", "no-cache"),
            ("pragma", "no-cache"),
            ("cache-control", "No-Cache, max-age=60"),
        ] {
            let freshness = Freshness::of(&headers(&[field]), TTL);
            assert_eq!(
                (freshness.lifetime, freshness.storable),
                (Duration::ZERO, true),
                "{field:?}"
            );
        }
        assert!(!Freshness::of(&headers(&[("cache-control", "no-store")]), TTL).storable);
    }

    #[test]
    fn use_beyond_freshness_is_what_the_agent_says_within_bounds() {
        let beyond = |value: &'static str| {
            let freshness = Freshness::of(&headers(&[("cache-control", value)]), TTL);
            let seconds = |time: Duration| time.as_secs();
            (
                seconds(freshness.while_revalidating),
                freshness.if_error.map(seconds),
            )
        };
        assert_eq!(
            beyond("max-age=60, stale-while-revalidate=30, Stale-If-Error=\"600\""),
            (30, Some(600))
        );
        assert_eq!(beyond("max-age=60, must-revalidate"), (0, None));
        assert_eq!(beyond("stale-if-error=0"), (0, Some(0)));
        assert_eq!(
            beyond("stale-while-revalidate=99999999, stale-if-error=99999999"),
            (86_400, Some(86_400))
        );
        assert_eq!(
            beyond("stale-while-revalidate, stale-if-error=x"),
            (0, None)
        );
    }

    #[test]
    fn validators_become_conditions_also_without_a_lifetime() {
        let kept = headers(&[
            ("etag", "W/\"1\""),
            ("last-modified", "Mon, 30 Nov 2026 09:00:00 GMT"),
        ]);
        let expected = headers(&[
            ("if-none-match", "W/\"1\""),
            ("if-modified-since", "Mon, 30 Nov 2026 09:00:00 GMT"),
        ]);
        assert_eq!(conditions(&kept), expected);
        assert!(conditions(&HeaderMap::new()).is_empty());
    }

    #[test]
    fn a_304_renews_what_it_repeats() {
        let kept = headers(&[
            ("etag", "\"1\""),
            ("cache-control", "max-age=60"),
            ("age", "50"),
        ]);
        let renewed = renew(
            &kept,
            &headers(&[("cache-control", "max-age=120"), ("content-length", "9")]),
        );
        assert_eq!(
            renewed,
            headers(&[("etag", "\"1\""), ("cache-control", "max-age=120")])
        );
    }
}
