//! Why a request failed below HTTP: each cause told apart from the error chain, with its own words.

mod tls;

use std::{error::Error, io, iter};

use gateway_core::ports::AttemptErrorKind;

use crate::guard::RefusedAddress;

pub(crate) use self::tls::TlsFailure;

/// A cause of a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Failure {
    /// The gateway does not call such addresses.
    LinkLocal,
    /// The gateway does not speak such schemes.
    Scheme,
    /// The host name does not resolve.
    Dns,
    /// Nothing listens there.
    Refused,
    /// The network has no way there, or forbids it.
    Unreachable,
    /// No connection within the limit.
    ConnectTimeout,
    /// The connection broke while it was set up.
    ConnectBroken,
    /// TLS failed.
    Tls(TlsFailure),
    /// The connection was reset.
    Reset,
    /// The connection was closed before the answer was complete.
    Incomplete,
    /// The response headers are over the limit of the HTTP parser.
    HeadersTooLarge,
    /// What came back is not HTTP.
    NotHttp,
    /// The body is not in the encoding that its header names.
    BadEncoding,
}

impl Failure {
    /// Every cause but those of TLS.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::LinkLocal,
        Self::Scheme,
        Self::Dns,
        Self::Refused,
        Self::Unreachable,
        Self::ConnectTimeout,
        Self::ConnectBroken,
        Self::Reset,
        Self::Incomplete,
        Self::HeadersTooLarge,
        Self::NotHttp,
        Self::BadEncoding,
    ];

    /// Finds the cause of an error.
    pub(crate) fn of(error: &reqwest::Error) -> Self {
        if let Some(known) = causes(error).find_map(definite) {
            return known;
        }
        // The innermost one is the cause, those around it wrap it.
        let io_kind = causes(error)
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .last()
            .map(io::Error::kind);
        if error.is_connect() {
            connecting(error, io_kind)
        } else if error.is_decode() && !causes(error).any(|cause| cause.is::<hyper::Error>()) {
            Self::BadEncoding
        } else if io_kind == Some(io::ErrorKind::UnexpectedEof) {
            Self::Incomplete
        } else {
            Self::Reset
        }
    }

    /// Returns the kind under which attempts record it.
    pub(crate) fn kind(self) -> AttemptErrorKind {
        match self {
            Self::Dns => AttemptErrorKind::Dns,
            Self::LinkLocal
            | Self::Scheme
            | Self::Refused
            | Self::Unreachable
            | Self::ConnectBroken => AttemptErrorKind::Refused,
            Self::ConnectTimeout => AttemptErrorKind::ConnectTimeout,
            Self::Tls(_) => AttemptErrorKind::Tls,
            Self::HeadersTooLarge => AttemptErrorKind::TooLarge,
            Self::Reset | Self::Incomplete | Self::NotHttp | Self::BadEncoding => {
                AttemptErrorKind::Reset
            }
        }
    }

    /// Returns what happened, without any address.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::LinkLocal => {
                "its address is link-local or serves metadata, which is never called"
            }
            Self::Scheme => "its address is neither http nor https",
            Self::Dns => "its host name does not resolve",
            Self::Refused => "nothing listens at its address (connection refused)",
            Self::Unreachable => "its network cannot be reached",
            Self::ConnectTimeout => "no connection within the limit",
            Self::ConnectBroken => "the connection broke while it was opened",
            Self::Tls(failure) => failure.words(),
            Self::Reset => "the connection was reset before the answer was complete",
            Self::Incomplete => "the connection was closed before the answer was complete",
            Self::HeadersTooLarge => "the response headers are too large",
            Self::NotHttp => "the answer is not HTTP",
            Self::BadEncoding => "the body is not in the encoding its header names",
        }
    }

    /// Returns what the operator can do next.
    pub(crate) fn next_step(self) -> &'static str {
        match self {
            Self::LinkLocal => "register another address",
            Self::Scheme => "register an http or https address",
            Self::Dns => "check the host name in `url`",
            Self::Refused => "check the port in `url` and that the agent runs",
            Self::Unreachable => "check the network and firewall between gateway and agent",
            Self::ConnectTimeout => "check that the agent's host is up, or raise `limits.connect`",
            Self::ConnectBroken => "check what listens at the agent's port",
            Self::Tls(failure) => failure.next_step(),
            Self::Reset => "look for a crash in the agent's log",
            Self::Incomplete => "look in the log of the agent or of the proxy in front of it",
            Self::HeadersTooLarge => "make the agent send fewer or smaller headers",
            Self::NotHttp => "check that the port speaks HTTP, and whether it should be https",
            Self::BadEncoding => "correct Content-Encoding at the agent or its proxy",
        }
    }
}

impl From<RefusedAddress> for Failure {
    fn from(refused: RefusedAddress) -> Self {
        match refused {
            RefusedAddress::Scheme(_) => Self::Scheme,
            RefusedAddress::LinkLocal => Self::LinkLocal,
        }
    }
}

/// Returns the errors of a chain, outermost first. The one inside an [`io::Error`] counts too, which
/// [`Error::source`] steps over.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        inner
            .map(|inner| inner as &(dyn Error + 'static))
            .or_else(|| error.source())
    })
}

/// Returns the cause where one error of the chain settles it.
fn definite(error: &(dyn Error + 'static)) -> Option<Failure> {
    if let Some(refused) = error.downcast_ref::<RefusedAddress>() {
        return Some(refused.clone().into());
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(Failure::Tls(TlsFailure::of(error)));
    }
    let error = error.downcast_ref::<hyper::Error>()?;
    if error.is_parse_too_large() {
        Some(Failure::HeadersTooLarge)
    } else if error.is_parse() {
        Some(Failure::NotHttp)
    } else if error.is_incomplete_message() {
        Some(Failure::Incomplete)
    } else {
        None
    }
}

fn connecting(error: &reqwest::Error, kind: Option<io::ErrorKind>) -> Failure {
    if error.is_dns() {
        return Failure::Dns;
    }
    if error.is_timeout() {
        return Failure::ConnectTimeout;
    }
    match kind {
        Some(io::ErrorKind::ConnectionRefused) => Failure::Refused,
        Some(
            io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::PermissionDenied,
        ) => Failure::Unreachable,
        _ => Failure::ConnectBroken,
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, io};

    use super::{Failure, TlsFailure, causes};

    #[test]
    fn c125_no_two_causes_share_their_words_or_next_step() {
        let all: Vec<_> = Failure::ALL
            .into_iter()
            .chain(TlsFailure::ALL.map(Failure::Tls))
            .collect();
        let words: HashSet<_> = all.iter().map(|failure| failure.words()).collect();
        let steps: HashSet<_> = all.iter().map(|failure| failure.next_step()).collect();
        assert_eq!(words.len(), all.len());
        assert_eq!(steps.len(), all.len());
    }

    #[test]
    fn an_error_inside_an_io_error_is_found() {
        let inner = rustls::Error::General("deep".to_owned());
        let outer = io::Error::other(io::Error::other(inner));
        assert!(causes(&outer).any(|cause| cause.is::<rustls::Error>()));
    }
}
