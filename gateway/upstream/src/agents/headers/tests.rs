use http::{HeaderMap, HeaderValue, header};

use super::*;

fn extension_header(uris: &[&str]) -> Option<HeaderValue> {
    extension_list(&uris.iter().map(|&uri| uri.to_owned()).collect::<Vec<_>>())
}

#[test]
fn extensions_that_would_forge_headers_are_left_out() {
    assert_eq!(
        extension_header(&["urn:a", "urn:b\r\nx-evil: 1", "", "urn:c,urn:d", "urn:e"]).unwrap(),
        "urn:a, urn:e"
    );
    assert_eq!(extension_header(&["bad\n"]), None);
}

#[test]
fn credentials_are_sensitive_and_checked() {
    let mut headers = HeaderMap::new();
    add_credential(&mut headers, &AgentAuth::Bearer("s3cret".into())).unwrap();
    assert_eq!(headers[header::AUTHORIZATION], "Bearer s3cret");
    assert!(headers[header::AUTHORIZATION].is_sensitive());

    let forged = AgentAuth::Bearer("a\r\nx-evil: 1".into());
    assert_eq!(
        add_credential(&mut headers, &forged),
        Err(UnusableCredential::Value)
    );
    for name in ["transfer-encoding", "Host", "no spaces", ""] {
        let auth = AgentAuth::Header {
            name: name.to_owned(),
            value: "x".into(),
        };
        assert_eq!(
            add_credential(&mut headers, &auth),
            Err(UnusableCredential::Name(name.to_owned()))
        );
    }
}

#[test]
fn activated_extensions_are_read_from_both_names_once() {
    let mut headers = HeaderMap::new();
    headers.append("a2a-extensions", HeaderValue::from_static("urn:a, urn:b"));
    headers.append("a2a-extensions", HeaderValue::from_static("urn:c"));
    headers.append("x-a2a-extensions", HeaderValue::from_static("urn:b,"));
    assert_eq!(extensions(&headers), ["urn:a", "urn:b", "urn:c"]);
}

#[test]
fn retry_after_is_a_number_or_a_date() {
    let read = |text: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::RETRY_AFTER, HeaderValue::from_str(text).unwrap());
        retry_after(&headers)
    };
    assert_eq!(read("120"), Some(120));
    assert_eq!(read("Fri, 31 Dec 1999 23:59:59 GMT"), Some(0));
    assert!(read("Fri, 31 Dec 2100 23:59:59 GMT").unwrap() > 1_000_000_000);
    assert_eq!(read("soon"), None);
}
