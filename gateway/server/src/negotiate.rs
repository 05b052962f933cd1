//! Which protocol version a request speaks, and which operation it asks for (A2A §3.6).

use axum::http::{HeaderMap, Uri};
use gateway_protocol::{Error, ErrorKind, Operation, Version, error::A2A_DOMAIN};
use url::form_urlencoded;

const VERSION: &str = "a2a-version";
/// The versions this gateway speaks, as error details list them.
const SUPPORTED: &str = "0.3,1.0";

/// The version that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// This one.
    Version(Version),
    /// None, so that other signs decide.
    Nothing,
    /// None, which means 0.3 where versions are strict (A2A §3.6.2).
    Implied,
}

impl Named {
    /// Reads what header or query name; `strict` says what to make of neither.
    pub(crate) fn read(uri: &Uri, headers: &HeaderMap, strict: bool) -> Result<Self, Error> {
        match requested_version(uri, headers)? {
            Some(text) => match Version::parse(&text) {
                Some(version) => Ok(Self::Version(version)),
                None => Err(unsupported(&text)),
            },
            None if strict => Ok(Self::Implied),
            None => Ok(Self::Nothing),
        }
    }

    /// Returns the version, unless other signs are to decide.
    pub(crate) fn version(self) -> Option<Version> {
        match self {
            Self::Version(version) => Some(version),
            Self::Implied => Some(Version::V03),
            Self::Nothing => None,
        }
    }

    /// Finds version and operation of a JSON-RPC method, whose style decides and must not be contradicted.
    pub(crate) fn operation(self, method: &str) -> Result<(Version, Operation), Error> {
        let (style, operation) =
            Operation::from_method(method).ok_or_else(|| unknown_method(method))?;
        let what = || format!("the method `{}`", shortened(method));
        self.agrees(style, what).map(|()| (style, operation))
    }

    /// Checks that the version of a gRPC service is not contradicted.
    pub(crate) fn service(self, style: Version) -> Result<(), Error> {
        self.agrees(style, || "the gRPC service".to_owned())
    }

    fn agrees(self, style: Version, what: impl FnOnce() -> String) -> Result<(), Error> {
        let Some(version) = self.version().filter(|version| *version != style) else {
            return Ok(());
        };
        let says = match self {
            Self::Implied => format!("the request names no A2A-Version, which means {version}"),
            Self::Version(_) | Self::Nothing => format!("the request says A2A-Version {version}"),
        };
        Err(not_supported(format!(
            "{} belongs to A2A {style}, {says}",
            what()
        )))
    }
}

/// Returns the version that a card request asks for.
pub(crate) fn card_version(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    requested_version(uri, headers).ok().flatten()
}

fn requested_version(uri: &Uri, headers: &HeaderMap) -> Result<Option<String>, Error> {
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let header = headers
        .get(VERSION)
        .map(|value| value.to_str().unwrap_or("?"))
        .and_then(given);
    let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .find(|(name, _)| name.eq_ignore_ascii_case(VERSION))
        .and_then(|(_, value)| given(&value));
    match (header, query) {
        (Some(header), Some(query)) if Version::parse(&header) != Version::parse(&query) => {
            let text = format!(
                "the A2A-Version header says {}, the query says {}",
                shortened(&header),
                shortened(&query)
            );
            Err(Error::new(ErrorKind::InvalidRequest, text))
        }
        (header, query) => Ok(header.or(query)),
    }
}

fn unsupported(version: &str) -> Error {
    not_supported(format!(
        "A2A version `{}` is not supported; use 0.3 or 1.0",
        shortened(version)
    ))
}

fn not_supported(text: String) -> Error {
    Error::new(ErrorKind::VersionNotSupported, text).with_info(
        A2A_DOMAIN,
        ErrorKind::VersionNotSupported.reason(),
        [("supportedVersions", SUPPORTED)],
    )
}

fn unknown_method(method: &str) -> Error {
    Error::new(
        ErrorKind::MethodNotFound,
        format!("there is no method `{}`", shortened(method)),
    )
}

/// Caller's text goes into messages only so far.
fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn negotiate(method: &str, header: Option<&str>, query: &str) -> Result<Version, ErrorKind> {
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert(VERSION, HeaderValue::from_str(header).unwrap());
        }
        let uri: Uri = format!("/a2a?{query}").parse().unwrap();
        Named::read(&uri, &headers, false)
            .and_then(|named| named.operation(method))
            .map(|(version, _)| version)
            .map_err(|error| error.kind)
    }

    #[test]
    fn c016_strict_versions_take_none_for_0_3() {
        let named = |header: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(VERSION, HeaderValue::from_str(header).unwrap());
            }
            Named::read(&Uri::from_static("/a2a"), &headers, true).unwrap()
        };
        for absent in [None, Some(""), Some(" ")] {
            let error = named(absent).operation("SendMessage").unwrap_err();
            assert_eq!(error.kind, ErrorKind::VersionNotSupported);
            assert!(
                error.message.contains("names no A2A-Version"),
                "{}",
                error.message
            );
            assert!(named(absent).operation("message/send").is_ok());
            assert!(named(absent).service(Version::V1).is_err());
            assert!(named(absent).service(Version::V03).is_ok());
        }
        assert!(named(Some("1.0")).operation("SendMessage").is_ok());
    }

    #[test]
    fn c016_patch_spaces_and_query_are_understood() {
        for (header, query) in [
            (Some("1.0"), ""),
            (Some("1.0.7"), ""),
            (Some(" 1.0 "), ""),
            (None, "A2A-Version=1.0"),
            (None, ""),
        ] {
            assert_eq!(
                negotiate("SendMessage", header, query),
                Ok(Version::V1),
                "{header:?} {query}"
            );
        }
    }

    #[test]
    fn c016_the_old_version_is_understood_with_and_without_its_name() {
        for header in [None, Some(""), Some("0.3"), Some("0.3.0"), Some(" 0.3 ")] {
            let named = negotiate("message/send", header, "");
            assert_eq!(named, Ok(Version::V03), "{header:?}");
        }
    }

    #[test]
    fn c016_other_versions_are_refused() {
        for version in ["99.0", "1.7", "x", "-1"] {
            for method in ["SendMessage", "message/send"] {
                assert_eq!(
                    negotiate(method, Some(version), ""),
                    Err(ErrorKind::VersionNotSupported)
                );
            }
        }
    }

    #[test]
    fn contradictions_are_refused() {
        assert_eq!(
            negotiate("message/send", Some("1.0"), ""),
            Err(ErrorKind::VersionNotSupported)
        );
        assert_eq!(
            negotiate("SendMessage", Some("0.3"), ""),
            Err(ErrorKind::VersionNotSupported)
        );
        assert_eq!(
            negotiate("SendMessage", Some("1.0"), "a2a-version=0.3"),
            Err(ErrorKind::InvalidRequest)
        );
    }

    #[test]
    fn c067_method_names_are_exact() {
        for method in [
            "sendmessage",
            "SendMessage ",
            "",
            "message/Send",
            "initialize",
        ] {
            assert_eq!(
                negotiate(method, None, ""),
                Err(ErrorKind::MethodNotFound),
                "{method:?}"
            );
        }
    }
}
