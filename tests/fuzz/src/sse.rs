//! Event streams: chunks never matter, memory is bounded, and what is written can be read.

use gateway_protocol::sse::{Event, EventTooLarge, Item, Parser, comment, write_event};
use serde_json::value::RawValue;

/// Is small enough for inputs to exceed it.
const SMALL: usize = 64;

/// Reads an event stream in several ways.
///
/// # Panics
/// When the chunks of a stream matter, when a parser holds more than it may, or when an event does not survive being
/// written and read.
pub fn sse(input: &[u8]) {
    let whole = read(input, input.len().max(1), usize::MAX);
    let limited = read(input, input.len().max(1), SMALL);
    for size in [1, 2, 3, 7] {
        assert_eq!(read(input, size, usize::MAX), whole, "in chunks of {size}");
        assert_eq!(read(input, size, SMALL), limited, "in chunks of {size}");
    }
    check_limit(input, &whole, &limited);
    for item in &whole.items {
        match item {
            Item::Event(event) => check_written(event),
            Item::Comment(text) => assert_eq!(
                read(&comment(text), usize::MAX, usize::MAX).items,
                [Item::Comment(text.clone())]
            ),
        }
    }
    if let Some(last) = &whole.last {
        serde_json::from_slice::<&RawValue>(&last.data).expect("a saved event is whole");
        check_written(last);
    }
    check_written_noise(input);
}

/// Is all that a parser says about a stream.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    items: Vec<Item>,
    error: Option<EventTooLarge>,
    last: Option<Event>,
}

fn read(stream: &[u8], chunk: usize, limit: usize) -> Said {
    let mut parser = Parser::new(limit);
    let mut said = Said {
        items: Vec::new(),
        error: None,
        last: None,
    };
    for chunk in stream.chunks(chunk) {
        parser.push(chunk);
        while let Some(item) = parser.next_item() {
            assert!(said.error.is_none(), "a failed parser goes on");
            match item {
                Ok(item) => said.items.push(item),
                Err(error) => said.error = Some(error),
            }
        }
    }
    said.last = parser.finish();
    said
}

/// Compares what a bounded parser says with what another one does, and with the sizes of the lines.
fn check_limit(stream: &[u8], whole: &Said, limited: &Said) {
    let held = Held::of(stream);
    match limited.error {
        None => {
            assert_eq!(limited, whole);
            assert!(held.least <= SMALL, "{} bytes were held", held.least);
        }
        Some(error) => {
            assert_eq!(error.limit, SMALL);
            assert!(whole.items.starts_with(&limited.items));
            assert_eq!(limited.last, None, "a failed parser saves an event");
            assert!(
                held.most > SMALL,
                "an event of {} bytes is refused",
                held.most
            );
        }
    }
}

/// Bounds how much of a stream a parser must hold at once; comments need not be kept.
#[derive(Debug, Default)]
struct Held {
    /// Without colons, spaces and line ends.
    least: usize,
    /// With them.
    most: usize,
}

impl Held {
    fn of(stream: &[u8]) -> Self {
        let (mut now, mut peak) = (Self::default(), Self::default());
        let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
        for line in stream.split(|byte| matches!(byte, b'\r' | b'\n')) {
            let size = line.len();
            peak.least = peak.least.max(now.least + size.saturating_sub(2));
            peak.most = peak.most.max(now.most + size + 2);
            match line.first() {
                Some(b':') => {}
                Some(_) => {
                    now.least += size.saturating_sub(2);
                    now.most += size + 2;
                }
                None => now.least = 0,
            }
        }
        peak
    }
}

fn written(event: &Event) -> Vec<u8> {
    let mut out = Vec::new();
    write_event(&mut out, event);
    out
}

fn check_written(event: &Event) {
    let items = read(&written(event), usize::MAX, usize::MAX).items;
    assert_eq!(items, [Item::Event(event.clone())]);
}

/// Writes an event whose fields may hold anything: it must stay one event.
fn check_written_noise(input: &[u8]) {
    let (text, data) = input.split_at(input.len() / 2);
    let text = String::from_utf8_lossy(text).into_owned();
    let event = Event {
        name: Some(text.clone()),
        id: Some(text.clone()),
        data: data.to_vec().into(),
    };
    let items = read(&written(&event), usize::MAX, usize::MAX).items;
    let [Item::Event(read)] = items.as_slice() else {
        panic!("{event:?} became {items:?}");
    };
    let lines = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        text.replace('\r', "\n")
    };
    assert_eq!(lines(&read.data), lines(data));
    let name = lines(text.as_bytes()).replace('\n', " ");
    assert_eq!(read.name.as_deref().unwrap_or_default(), name);
    let comments = self::read(&comment(&text), usize::MAX, usize::MAX).items;
    let is_comment = |item: &Item| matches!(item, Item::Comment(_));
    assert!(comments.iter().all(is_comment), "{comments:?}");
}
