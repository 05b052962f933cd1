//! Writing events and comments.

use bytes::{BufMut, Bytes};

use super::Event;

/// Appends an event with its closing blank line; data that holds line ends becomes several `data` lines.
pub fn write_event(out: &mut impl BufMut, event: &Event) {
    for (field, value) in [("event: ", &event.name), ("id: ", &event.id)] {
        if let Some(value) = value {
            out.put_slice(field.as_bytes());
            put_lines(out, value.as_bytes(), b" ");
            out.put_u8(b'\n');
        }
    }
    out.put_slice(b"data: ");
    put_lines(out, &event.data, b"\ndata: ");
    out.put_slice(b"\n\n");
}

/// Returns a comment with its closing blank line; an empty text makes the shortest keep-alive.
pub fn comment(text: &str) -> Bytes {
    let mut out = Vec::with_capacity(text.len() + 4);
    out.put_u8(b':');
    if !text.is_empty() {
        out.put_u8(b' ');
        put_lines(&mut out, text.as_bytes(), b"\n: ");
    }
    out.put_slice(b"\n\n");
    out.into()
}

/// Puts a value whose line ends, in any of the three forms, are replaced.
fn put_lines(out: &mut impl BufMut, mut value: &[u8], line_end: &[u8]) {
    while let Some(found) = memchr::memchr2(b'\r', b'\n', value) {
        let (line, rest) = value.split_at(found);
        out.put_slice(line);
        out.put_slice(line_end);
        let width = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        value = rest.get(width..).unwrap_or_default();
    }
    out.put_slice(value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sse::{Item, Parser};

    fn written(event: &Event) -> Vec<u8> {
        let mut out = Vec::new();
        write_event(&mut out, event);
        out
    }

    #[test]
    fn events_are_written_field_by_field() {
        let event = Event {
            name: Some("error".to_owned()),
            id: Some("7".to_owned()),
            data: Bytes::from_static(b"{\"a\":\n1}"),
        };
        assert_eq!(
            written(&event),
            b"event: error\nid: 7\ndata: {\"a\":\ndata: 1}\n\n"
        );
        assert_eq!(written(&Event::default()), b"data: \n\n");
    }

    #[test]
    fn line_ends_cannot_forge_fields() {
        let event = Event {
            name: Some("x\ndata: forged".to_owned()),
            id: Some("1\r\n\r\n2".to_owned()),
            data: Bytes::from_static(b"a\rid: 9"),
        };
        assert_eq!(
            written(&event),
            b"event: x data: forged\nid: 1  2\ndata: a\ndata: id: 9\n\n"
        );
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(comment(""), ":\n\n");
        assert_eq!(comment("a\ndata: b"), ": a\n: data: b\n\n");
    }

    proptest! {
        #[test]
        fn written_events_are_read_back(name in "[a-z]{1,5}", id in "[0-9a-z]{0,5}", data in "[ -~é\n]{0,40}") {
            let event = Event { name: Some(name), id: Some(id), data: data.into() };
            let mut parser = Parser::new(1024);
            parser.push(&written(&event));
            prop_assert_eq!(parser.next_item(), Some(Ok(Item::Event(event))));
            prop_assert_eq!(parser.next_item(), None);
        }
    }
}
