//! Addresses as attackers and operators write them.

use super::*;

fn list(entries: &[&str]) -> AllowList {
    AllowList::new(entries.iter().map(|entry| entry.parse().unwrap()).collect())
}

fn refused(text: &str) -> RefusedTarget {
    AllowList::default().read(text).expect_err(text)
}

#[test]
fn c081_inner_addresses_are_refused_in_every_spelling() {
    for text in [
        "https://127.0.0.1:8080/x",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.1./",
        "https://0/",
        "https://169.254.169.254/latest/meta-data/",
        "https://2852039166/",
        "https://100.100.100.200/",
        "https://10.0.0.5/",
        "https://172.31.0.1/",
        "https://192.168.1.1/",
        "https://[::1]/",
        "https://[::]/",
        "https://[fe80::1]/",
        "https://[fd00:ec2::254]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:a00:5]/",
        "https://[::10.0.0.5]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:7f00:1::]/",
        "https://localhost/",
        "https://LOCALHOST/",
        "https://localhost./",
        "https://a.localhost/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://redis/",
        "https://ⓛocalhost/",
    ] {
        assert_eq!(refused(text), RefusedTarget::Private, "{text}");
    }
}

#[test]
fn c081_other_schemes_and_credentials_are_refused() {
    for text in [
        "ftp://h.example/x",
        "file:///etc/passwd",
        "gopher://h.example/",
        "data:,x",
    ] {
        assert_eq!(refused(text), RefusedTarget::Scheme, "{text}");
    }
    for text in [
        "http://user:pw@hook.example/",
        "https://user@hook.example/",
        "https://:pw@hook.example/",
    ] {
        assert_eq!(refused(text), RefusedTarget::UserInfo, "{text}");
    }
    for text in ["http://hook.example/", "http://1.1.1.1/"] {
        assert_eq!(refused(text), RefusedTarget::Plain, "{text}");
    }
}

#[test]
fn c081_what_is_no_url_is_refused() {
    for text in [
        "",
        "hook.example/x",
        "https://",
        "https://hook.exam\nple/",
        "https://h\t.example/",
        " https://hook.example/",
        "https://hook.example/a b",
    ] {
        assert_eq!(refused(text), RefusedTarget::NotAUrl, "{text:?}");
    }
    let long = format!("https://hook.example/{}", "a".repeat(MAX_LENGTH));
    assert_eq!(refused(&long), RefusedTarget::TooLong);
}

#[test]
fn public_https_addresses_are_taken() {
    for text in [
        "https://hook.example/p?x=1",
        "https://hook.example:8443/",
        "https://1.1.1.1/",
        "https://[2606:4700::1111]/",
        "https://internal.example/",
        "https://notlocalhost.example/",
    ] {
        assert_eq!(AllowList::default().read(text).unwrap().as_str(), text);
    }
}

#[test]
fn a_host_entry_allows_http_and_private_addresses_of_that_host() {
    let list = list(&["hooks.internal", "127.0.0.1:9000", "::1"]);
    for text in [
        "http://hooks.internal/x",
        "https://hooks.internal:1/",
        "http://127.0.0.1:9000/",
        "http://[::1]:7/",
    ] {
        assert!(list.read(text).is_ok(), "{text}");
    }
    for text in [
        "http://127.0.0.1:9001/",
        "http://127.0.0.1/",
        "http://other.internal/",
        "http://a.hooks.internal/",
    ] {
        assert!(list.read(text).is_err(), "{text}");
    }
}

#[test]
fn a_network_entry_allows_its_addresses_written_or_resolved() {
    let list = list(&["10.1.0.0/16", "fd00::/8"]);
    assert!(list.read("http://10.1.2.3/").is_ok());
    assert!(list.read("http://[::ffff:10.1.2.3]/").is_ok());
    assert!(list.read("https://[fd12::1]/").is_ok());
    assert_eq!(list.read("https://10.2.0.1/"), Err(RefusedTarget::Private));
    assert!(list.permits("10.1.2.3".parse().unwrap()));
    assert!(list.permits("1.1.1.1".parse().unwrap()));
    assert!(!list.permits("10.2.0.1".parse().unwrap()));
    assert!(!list.permits("::ffff:127.0.0.1".parse().unwrap()));
}

#[test]
fn entries_come_back_as_they_were_written() {
    for text in [
        "hooks.internal",
        "127.0.0.1:80",
        "10.0.0.0/8",
        "[::1]:443",
        "fd00::/8",
    ] {
        assert_eq!(text.parse::<Allowed>().unwrap().to_string(), text);
    }
    for text in [
        "",
        "http://x",
        "a/b",
        "10.0.0.0/33",
        "x:99999",
        "a b",
        "u@h",
        "fd00::/129",
    ] {
        assert!(text.parse::<Allowed>().is_err(), "{text}");
    }
}
