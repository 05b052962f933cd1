use gateway_core::decision::RouteDecision;

use super::*;

/// JSON of so many bytes, which says nothing twice in a row.
fn json(length: usize) -> Vec<u8> {
    let mut text = "{\"n\":[".to_owned();
    let mut number = 1_u64;
    while text.len() < length {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        text.push_str(&format!("{},", number >> 32));
    }
    text.into_bytes()
}

#[test]
fn what_is_stored_comes_back() {
    for (length, form) in [(10, WITH_SAMPLE), (100_000, WITH_SAMPLE), (LIMIT + 1, JSON)] {
        let json = json(length);
        let body = encode(json.clone()).unwrap();
        assert_eq!(body[0], form, "{length}");
        assert!(form == JSON || body.len() < json.len() + 40, "{length}");
        assert_eq!(*decode(&body).unwrap(), json, "{length}");
    }
}

#[test]
fn a_record_in_text_is_read_as_it_is() {
    assert!(matches!(decode(b"{}"), Ok(Cow::Borrowed(b"{}"))));
}

/// Fails when a sample is changed, which would make unreadable what is stored.
#[test]
fn what_was_stored_with_the_first_sample_stays_readable() {
    let stored = include_bytes!("stored-1.bin");
    let json = decode(stored).unwrap();
    let decision: RouteDecision = serde_json::from_slice(&json).unwrap();
    assert_eq!(decision.id, "01a22e67-b7c7-75cd-a2f9-4277c2dbc5a4");
    assert_eq!(decision.candidates.len(), 5);
}

#[test]
fn the_sample_helps() {
    let decision: RouteDecision = serde_json::from_slice(SAMPLE).unwrap();
    assert_eq!(decision.candidates.len(), 5);
    let other = decode(include_bytes!("stored-1.bin")).unwrap();
    let alone = zstd::bulk::compress(&other, LEVEL).unwrap();
    assert!(encode(other.into_owned()).unwrap().len() * 3 < alone.len() * 2);
}

#[test]
fn a_damaged_record_never_passes_for_another() {
    for length in [3_000, 100_000] {
        let json = json(length);
        let body = encode(json.clone()).unwrap();
        let mut noticed = 0;
        for place in (1..body.len()).step_by(body.len() / 300) {
            let mut damaged = body.clone();
            damaged[place] ^= 0x10;
            match decode(&damaged) {
                Ok(read) => assert_eq!(*read, json, "{place} of {}", body.len()),
                Err(_) => noticed += 1,
            }
        }
        assert!(noticed > 200, "{noticed}");
        assert!(decode(&body[..body.len() - 1]).is_err());
    }
}

#[test]
fn what_is_no_record_is_refused() {
    assert_eq!(decode(b"").unwrap_err(), "it is empty");
    assert_eq!(decode(&[7, 1, 2]).unwrap_err(), "its form 7 is not known");
    decode(&[WITH_SAMPLE, 0]).unwrap_err();
}

#[test]
fn a_small_record_that_would_fill_memory_is_refused() {
    let zeros = zstd::bulk::compress(&vec![b' '; LIMIT + 1], LEVEL).unwrap();
    assert!(zeros.len() < 10_000);
    let error = decode(&[&[WITH_SAMPLE], zeros.as_slice()].concat()).unwrap_err();
    assert!(error.contains("too small"), "{error}");
    // The same where the frame does not say how long it is.
    let mut stream = zstd::stream::Encoder::new(Vec::new(), LEVEL).unwrap();
    io::Write::write_all(&mut stream, &vec![b' '; LIMIT + 1]).unwrap();
    decode(&[&[WITH_SAMPLE], stream.finish().unwrap().as_slice()].concat()).unwrap_err();
}
