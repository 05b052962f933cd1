//! Which texts name a host behind the gateway.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// The endings of names that are resolved inside a network only (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`).
const INNER_DOMAINS: [&str; 5] = ["localhost", "local", "internal", "home.arpa", "lan"];

/// What stands between the words of a text, among them what separates an address from the one inside its query.
const SEPARATORS: &str = "\"'`<>(){}|,;=&?#!*+~$^\u{ab}\u{bb}";

/// What stands at the ends of a name without being of it.
const EDGES: [char; 4] = ['.', ':', '-', '_'];

/// The schemes whose addresses need no slashes to be understood.
const SCHEMES: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// What readers of host names take for a dot (UTS #46).
const DOTS: [char; 4] = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'];

/// The longest host with a port, in bytes. Longer ones are none, and reading them would take long.
const LONGEST: usize = 1024;

/// How often a text is decoded: an address may stand in the query of an address in a query.
const MOST_DECODED: usize = 3;

/// The hosts that readers of a card must not be told of.
///
/// Loopback, private and link-local addresses are among them without being added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InnerHosts(BTreeSet<String>);

impl InnerHosts {
    /// Begins with the hosts of addresses, such as the one an agent is registered with.
    #[must_use]
    pub fn of<'a>(urls: impl IntoIterator<Item = &'a Url>) -> Self {
        Self(urls.into_iter().filter_map(name).collect())
    }

    /// Adds the hosts of what a card says are addresses.
    pub(super) fn with<'a>(&self, addresses: impl Iterator<Item = &'a str>) -> Self {
        let mut hosts = self.0.clone();
        for address in addresses {
            let address = address.trim().replace('\\', "/");
            let mut found = authorities(&address).peekable();
            // gRPC addresses are written without a scheme.
            let bare = found.peek().is_none().then_some(&address);
            let bare = bare.and_then(|bare| bare.split('/').next());
            let bare = bare.filter(|bare| bare.contains(['.', ':']));
            hosts.extend(found.chain(bare).filter_map(|host| name(&read(host)?)));
        }
        Self(hosts)
    }

    /// Tells whether a text names one of the hosts, alone, as an address or in the middle of other words.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        if self.is_whole(text) {
            return true;
        }
        let mut text = text.to_owned();
        for _ in 0..MOST_DECODED {
            if self.is_plainly_named_in(&text) {
                return true;
            }
            let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
            if decoded == text {
                return false;
            }
            text = decoded;
        }
        self.is_plainly_named_in(&text)
    }

    fn is_plainly_named_in(&self, text: &str) -> bool {
        let is_separator = |letter: char| {
            letter.is_whitespace()
                || letter.is_control()
                || SEPARATORS.contains(letter)
                || is_punctuation(letter)
                || is_invisible(letter)
        };
        let is_named = |text: &str| {
            // Readers of URLs take one slash for the other.
            let text = text.replace('\\', "/");
            text.split(is_separator).any(|word| self.is_word(word))
        };
        // They skip these too, and people do not see the others.
        let is_skipped = |letter| matches!(letter, '\t' | '\r' | '\n') || is_invisible(letter);
        is_named(text) || text.contains(is_skipped) && is_named(&text.replace(is_skipped, ""))
    }

    /// Tells whether a text is nothing but an inner host. Only so does a name without dots count, as it may be an
    /// ordinary word.
    fn is_whole(&self, text: &str) -> bool {
        let is_around = |letter: char| !letter.is_alphanumeric();
        let name = text.trim_matches(is_around);
        !name.is_empty() && self.0.contains(&name.to_ascii_lowercase())
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_plain_word(word)
            || without_zone(word).is_some_and(|without| self.is_plain_word(&without))
    }

    fn is_plain_word(&self, word: &str) -> bool {
        let is_inner = |authority: &str| match read(authority.trim_matches(EDGES)) {
            Some(url) => self.is_inner(&url),
            None => self.is_in_pieces_of(authority),
        };
        authorities(word.trim_matches(EDGES)).any(is_inner)
            || word.split('/').any(|segment| self.is_bare(segment))
    }

    fn is_inner(&self, url: &Url) -> bool {
        let is_inner = match url.host() {
            Some(Host::Ipv4(address)) => is_private_v4(address),
            Some(Host::Ipv6(address)) => self.is_inner_v6(address),
            Some(Host::Domain(domain)) => is_inner_domain(domain),
            None => false,
        };
        is_inner || name(url).is_some_and(|host| self.0.contains(&host))
    }

    fn is_inner_v6(&self, address: Ipv6Addr) -> bool {
        let wrapped = address.to_ipv4_mapped().map(|inner| inner.to_string());
        is_private_v6(address)
            || self.0.contains(&address.to_string())
            || wrapped.is_some_and(|inner| self.0.contains(&inner))
    }

    /// Tells whether a word is an inner host without a scheme, with or without port.
    fn is_bare(&self, word: &str) -> bool {
        // Most words have none of these, and reading a host takes time.
        if !word.contains(':') && !word.contains(DOTS) || !word.contains(char::is_alphanumeric) {
            return false;
        }
        // Colons may begin or end such an address.
        if let Ok(address) = word.trim_matches(['[', ']', '.', '-', '_']).parse() {
            return self.is_inner_v6(address);
        }
        let word = word.trim_matches(EDGES);
        match read(word) {
            Some(url) => is_host(&url, word) && self.is_inner(&url),
            None => self.is_in_pieces_of(word),
        }
    }

    /// Tells whether an inner host stands in the middle of what is no address, such as `at:10.0.0.5` or `[10.0.0.5]:x`.
    fn is_in_pieces_of(&self, word: &str) -> bool {
        let ends_host = |letter: char| {
            letter.is_ascii()
                && !letter.is_ascii_alphanumeric()
                && !matches!(letter, '.' | '-' | '_')
        };
        let mut pieces = word.split(ends_host).filter(|piece| piece.contains(DOTS));
        pieces
            .any(|piece| read(piece).is_some_and(|url| is_host(&url, piece) && self.is_inner(&url)))
    }
}

/// Tells whether a word that can be read as a host is one: numbers and ordinary words are none, though URLs may spell
/// hosts so.
fn is_host(url: &Url, spelled: &str) -> bool {
    match url.host() {
        Some(Host::Domain(domain)) => domain.contains('.') || url.port().is_some(),
        Some(Host::Ipv4(_)) => spelled.matches(DOTS).count() == 3,
        Some(Host::Ipv6(_)) => true,
        None => false,
    }
}

/// Returns a word without the zone of an IPv6 address in it, as in `fe80::1%eth0` (RFC 6874).
fn without_zone(word: &str) -> Option<String> {
    let (before, zone) = word.split_once('%')?;
    let after = zone.find([']', '/']).and_then(|end| zone.get(end..));
    before
        .contains(':')
        .then(|| format!("{before}{}", after.unwrap_or_default()))
}

/// Tells whether a letter is one of the dashes, quotes and other signs that Unicode has for texts.
fn is_punctuation(letter: char) -> bool {
    matches!(letter, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}' | '\u{3008}'..='\u{3011}')
}

/// Tells whether a letter only steers how others are shown.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Returns what stands where addresses have their host: after two slashes, or after a scheme that needs none.
fn authorities(word: &str) -> impl Iterator<Item = &str> {
    let mut follows_slashes = false;
    word.split('/').filter_map(move |part| {
        let (scheme, rest) = part.split_once(':').unwrap_or(("", ""));
        let is_scheme = SCHEMES
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme));
        if is_scheme && !rest.is_empty() {
            return Some(rest);
        }
        if part.is_empty() || is_scheme {
            follows_slashes = true;
            return None;
        }
        std::mem::take(&mut follows_slashes).then_some(part)
    })
}

/// Reads a host, as the most readers of addresses would.
fn read(authority: &str) -> Option<Url> {
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.len() > LONGEST {
        return None;
    }
    Url::parse(&format!("http://{host}")).ok()
}

/// Returns the host of an address in the one form that hosts are compared in.
fn name(url: &Url) -> Option<String> {
    Some(match url.host()? {
        Host::Domain(domain) => domain.trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    })
}

fn is_inner_domain(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    INNER_DOMAINS.iter().any(|inner| {
        domain
            .strip_suffix(inner)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || first == 0
        || is_shared
}

/// IPv4 addresses wrapped in IPv6 count as what they wrap.
fn is_private_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let wrapped = matches!(
        [a, b, c, d, e, f],
        [0, 0, 0, 0, 0, 0 | 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0]
    );
    let inner = Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || wrapped && is_private_v4(inner)
}
