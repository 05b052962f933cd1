//! Legal streams in unusual dress, cut streams and endless ones.

use proptest::prelude::*;

use super::*;

const LIMIT: usize = 1024;

fn items_of(chunks: &[&[u8]]) -> Vec<Item> {
    let mut parser = Parser::new(LIMIT);
    let mut items = Vec::new();
    for chunk in chunks {
        parser.push(chunk);
        while let Some(item) = parser.next_item() {
            items.push(item.unwrap());
        }
    }
    items.extend(parser.finish().map(Item::Event));
    items
}

fn data_of(body: &[u8]) -> Vec<String> {
    items_of(&[body])
        .into_iter()
        .filter_map(|item| match item {
            Item::Event(event) => Some(text(&event.data)),
            Item::Comment(_) => None,
        })
        .collect()
}

#[test]
fn c036_every_line_end_gives_the_same_events() {
    for end in ["\n", "\r\n", "\r"] {
        let body = [
            "data: {\"a\":1}",
            "",
            "data: {\"b\":2}",
            "",
            "data: {\"c\":3}",
            "",
            "",
        ]
        .join(end);
        assert_eq!(
            data_of(body.as_bytes()),
            ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"],
            "{end:?}"
        );
    }
}

#[test]
fn c036_unusual_data_lines_are_understood() {
    assert_eq!(data_of(b"data:{\"a\":1}\n\n"), ["{\"a\":1}"]);
    assert_eq!(data_of(b"data:  x\n\n"), [" x"]);
    assert_eq!(data_of(b"data: {\"a\":\ndata: 1}\n\n"), ["{\"a\":\n1}"]);
    assert_eq!(data_of(b"\xEF\xBB\xBFdata: x\n\n"), ["x"]);
    assert_eq!(data_of(b"data\n\n"), [""]);
    assert_eq!(data_of(b"data\ndata\n\n"), ["\n"]);
    assert_eq!(data_of(b"\n\n\n"), Vec::<String>::new());
}

#[test]
fn c036_name_and_id_come_with_their_event() {
    let body = b"event: message\nid: 7\nretry: 10\nunknown: x\ndata: a\n\nevent:\ndata: b\n\nevent: ping\n\ndata: c\n\n";
    let events = items_of(&[body]);
    let expected = |name: Option<&str>, id: Option<&str>, data: &'static [u8]| {
        Item::Event(Event {
            name: name.map(str::to_owned),
            id: id.map(str::to_owned),
            data: data.into(),
        })
    };
    assert_eq!(
        events,
        [
            expected(Some("message"), Some("7"), b"a"),
            expected(None, None, b"b"),
            expected(None, None, b"c"),
        ]
    );
}

#[test]
fn comments_are_reported_in_order() {
    let items = items_of(&[b": ping\n\n:\ndata: a\n: inside\n\n"]);
    let comments: Vec<_> = items
        .iter()
        .map(|item| match item {
            Item::Comment(text) => text.as_str(),
            Item::Event(_) => "event",
        })
        .collect();
    assert_eq!(comments, ["ping", "", "inside", "event"]);
    let mut parser = Parser::new(LIMIT);
    parser.push(b": ping\n\ndata: a\n\n");
    assert_eq!(parser.next_event().unwrap().unwrap().data, "a");
}

#[test]
fn c036_last_event_without_blank_line_is_kept_when_complete() {
    for tail in ["", "\n", "\r\n", "\nid: 4", "\nid: 4\n"] {
        let body = format!("data: {{\"a\":1}}\n\ndata: {{\"b\":2}}{tail}");
        assert_eq!(
            data_of(body.as_bytes()),
            ["{\"a\":1}", "{\"b\":2}"],
            "{tail:?}"
        );
    }
    assert_eq!(data_of(b"data: {\"a\":\ndata: 1}"), ["{\"a\":\n1}"]);
}

#[test]
fn c039_cut_events_are_not_delivered() {
    for tail in [
        "data: {\"b\":2",
        "data: 12",
        "dat",
        "id: 4\n",
        "event: error\n",
        "data: tr\n",
    ] {
        let body = format!("data: {{\"a\":1}}\n\n{tail}");
        assert_eq!(data_of(body.as_bytes()), ["{\"a\":1}"], "{tail:?}");
    }
    assert!(data_of(b"data: {\"a\":\"\xC3\"}").is_empty());
}

#[test]
fn c096_oversized_events_are_refused_once() {
    let long = vec![b'x'; LIMIT + 1];
    let lines = "data: 0123456789\n".repeat(LIMIT / 10);
    let ignored = "junk: 0123456789\n".repeat(LIMIT / 10);
    let unnamed: [&[u8]; 4] = [
        &long,
        &[b"data: ", &*long, b"\n\n"].concat(),
        lines.as_bytes(),
        ignored.as_bytes(),
    ];
    for body in unnamed {
        let mut parser = Parser::new(LIMIT);
        parser.push(body);
        assert_eq!(
            parser.next_item(),
            Some(Err(EventTooLarge { limit: LIMIT }))
        );
        parser.push(b"data: a\n\n");
        assert_eq!(parser.next_item(), None);
        assert_eq!(parser.finish(), None);
    }
}

#[test]
fn many_small_events_and_comments_stay_below_the_limit() {
    let body = ": keep-alive\n".repeat(LIMIT) + &"data: 0123456789\n\n".repeat(LIMIT);
    assert_eq!(items_of(&[body.as_bytes()]).len(), 2 * LIMIT);
}

fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("\n\n"),
        Just("data:"),
        Just("data: "),
        Just("{\"a\":1}"),
        Just(":"),
        Just("id: 7"),
        Just("event: x"),
        Just("retry"),
        Just("é"),
        Just(" "),
        Just("\u{FEFF}"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn c036_chunk_borders_never_matter(body in any_stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
        prop_assert_eq!(items_of(&chunks), items_of(&[&body]));
        let single: Vec<&[u8]> = body.chunks(1).collect();
        prop_assert_eq!(items_of(&single), items_of(&[&body]));
    }

    #[test]
    fn any_bytes_are_survived(body in prop::collection::vec(any::<u8>(), 0..300), limit in 0_usize..64) {
        let mut parser = Parser::new(limit);
        parser.push(&body);
        while parser.next_item().is_some() {}
        parser.finish();
    }
}
