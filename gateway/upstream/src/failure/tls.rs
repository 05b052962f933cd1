//! Why TLS failed.

use rustls::{CertificateError, InvalidMessage};

/// A cause of failed TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TlsFailure {
    /// The certificate is for another name.
    WrongName,
    /// Nobody known has signed it: self-signed, or from a private authority.
    UnknownIssuer,
    /// It has run out.
    Expired,
    /// It is not valid yet.
    NotYetValid,
    /// It was revoked.
    Revoked,
    /// It is unusable for another reason.
    BadCertificate,
    /// The port does not speak TLS.
    NotTls,
    /// Both sides share no protocol version or cipher.
    Incompatible,
    /// The agent ended the handshake, for example because it wants a client certificate.
    Alert,
    /// Anything else.
    Other,
}

impl TlsFailure {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 10] = [
        Self::WrongName,
        Self::UnknownIssuer,
        Self::Expired,
        Self::NotYetValid,
        Self::Revoked,
        Self::BadCertificate,
        Self::NotTls,
        Self::Incompatible,
        Self::Alert,
        Self::Other,
    ];

    /// Finds the cause of an error.
    pub(super) fn of(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(error) => Self::of_certificate(error),
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => Self::NotTls,
            rustls::Error::PeerIncompatible(_) | rustls::Error::NoApplicationProtocol => {
                Self::Incompatible
            }
            rustls::Error::AlertReceived(_) => Self::Alert,
            _ => Self::Other,
        }
    }

    fn of_certificate(error: &CertificateError) -> Self {
        match error {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::WrongName
            }
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                Self::NotYetValid
            }
            CertificateError::Revoked => Self::Revoked,
            // Many tools mark self-signed certificates as authorities, which servers must not show.
            CertificateError::Other(inner) if inner.to_string().contains("CaUsedAsEndEntity") => {
                Self::UnknownIssuer
            }
            _ => Self::BadCertificate,
        }
    }

    /// Tells whether the other side spoke TLS at all.
    pub(crate) fn is_from_tls(self) -> bool {
        !matches!(self, Self::NotTls | Self::Other)
    }

    /// Returns what happened, without any address.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::WrongName => "its TLS certificate is for another host name",
            Self::UnknownIssuer => {
                "its TLS certificate is self-signed or from an unknown authority"
            }
            Self::Expired => "its TLS certificate has expired",
            Self::NotYetValid => "its TLS certificate is not valid yet",
            Self::Revoked => "its TLS certificate was revoked",
            Self::BadCertificate => "its TLS certificate cannot be used",
            Self::NotTls => "its port does not speak TLS",
            Self::Incompatible => "it shares no TLS version or cipher with the gateway",
            Self::Alert => "it refused the TLS handshake",
            Self::Other => "the TLS handshake failed",
        }
    }

    /// Returns what the operator can do next.
    pub(super) fn next_step(self) -> &'static str {
        match self {
            Self::WrongName => "register the host name the certificate was issued for",
            Self::UnknownIssuer => "add its authority to the system's trust store",
            Self::Expired => "renew the certificate",
            Self::NotYetValid => "check the clocks of gateway and agent",
            Self::Revoked => "issue a new certificate",
            Self::BadCertificate => "replace the certificate with a valid server certificate",
            Self::NotTls => "use http in `url`, or the port that serves https",
            Self::Incompatible => "enable TLS 1.2 or 1.3 at the agent",
            Self::Alert => "check whether the agent demands a client certificate",
            Self::Other => "check the TLS settings of the agent",
        }
    }
}
