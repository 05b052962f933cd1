//! The incremental parser; every byte is looked at once, and at most one event is held.

use bytes::{Buf, BytesMut};
use serde::de::IgnoredAny;

use super::{Event, Item};

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Says that one event, or one line, is larger than the parser was told to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event larger than {limit} bytes")]
pub struct EventTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

/// Turns chunks of a body into events.
///
/// Call [`Parser::push`] for each chunk and then [`Parser::next_item`] until it returns `None`: memory then
/// stays below the limit plus one chunk. After an [`EventTooLarge`] the parser yields nothing more.
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    buffer: BytesMut,
    /// How much of the buffer is known to hold no line end.
    scanned: usize,
    /// Whether a byte order mark may still come.
    at_start: bool,
    /// Whether a line feed would belong to the carriage return just seen.
    after_return: bool,
    block: Block,
    failed: bool,
}

/// Collects the fields of the event under way.
#[derive(Debug, Default)]
struct Block {
    name: Option<String>,
    id: Option<String>,
    data: Option<BytesMut>,
    /// Bytes of all its lines, also of ignored fields.
    size: usize,
}

impl Parser {
    /// Makes a parser that refuses events above `limit_bytes`.
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            limit: limit_bytes,
            buffer: BytesMut::new(),
            scanned: 0,
            at_start: true,
            after_return: false,
            block: Block::default(),
            failed: false,
        }
    }

    /// Takes the next chunk of the body.
    pub fn push(&mut self, chunk: &[u8]) {
        if !self.failed {
            self.buffer.extend_from_slice(chunk);
        }
    }

    /// Returns the next event or comment, or `None` until more bytes are pushed.
    pub fn next_item(&mut self) -> Option<Result<Item, EventTooLarge>> {
        while let Some(line) = self.next_line() {
            if self.exceeds_limit(line.len()) {
                return Some(Err(self.fail()));
            }
            if let Some(item) = self.block.accept(line) {
                return Some(Ok(item));
            }
        }
        self.exceeds_limit(self.buffer.len())
            .then(|| Err(self.fail()))
    }

    /// Returns the next event and passes over comments.
    pub fn next_event(&mut self) -> Option<Result<Event, EventTooLarge>> {
        loop {
            match self.next_item()? {
                Ok(Item::Comment(_)) => {}
                Ok(Item::Event(event)) => return Some(Ok(event)),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Ends the stream, once [`Parser::next_item`] has returned `None`.
    ///
    /// A last event that lacks its blank line is delivered when its data is a complete JSON object, so that a
    /// terminal event is not lost; anything less is a cut stream and yields `None`.
    pub fn finish(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.buffer);
        if line.starts_with(b"data") {
            self.block.accept(line);
        }
        let event = std::mem::take(&mut self.block).into_event()?;
        let text = str::from_utf8(&event.data).ok()?;
        let is_object = text.trim_ascii_start().starts_with('{');
        let is_complete = is_object && serde_json::from_str::<IgnoredAny>(text).is_ok();
        is_complete.then_some(event)
    }

    fn next_line(&mut self) -> Option<BytesMut> {
        if self.at_start {
            if self.buffer.len() < MARK.len() && MARK.starts_with(&self.buffer) {
                return None;
            }
            if self.buffer.starts_with(MARK) {
                self.buffer.advance(MARK.len());
            }
            self.at_start = false;
        }
        if self.after_return && !self.buffer.is_empty() {
            if self.buffer.starts_with(b"\n") {
                self.buffer.advance(1);
            }
            self.after_return = false;
        }
        let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(found) = memchr::memchr2(b'\r', b'\n', unseen) else {
            self.scanned = self.buffer.len();
            return None;
        };
        let line = self.buffer.split_to(self.scanned + found);
        self.scanned = 0;
        self.after_return = self.buffer.starts_with(b"\r");
        self.buffer.advance(1);
        Some(line)
    }

    fn exceeds_limit(&self, more: usize) -> bool {
        self.block.size.saturating_add(more) > self.limit
    }

    fn fail(&mut self) -> EventTooLarge {
        self.failed = true;
        self.buffer = BytesMut::new();
        self.block = Block::default();
        self.scanned = 0;
        EventTooLarge { limit: self.limit }
    }
}

impl Block {
    fn accept(&mut self, line: BytesMut) -> Option<Item> {
        if line.is_empty() {
            return std::mem::take(self).into_event().map(Item::Event);
        }
        let colon = memchr::memchr(b':', &line).unwrap_or(line.len());
        let mut value = line;
        let field = value.split_to(colon);
        if value.starts_with(b": ") {
            value.advance(2);
        } else if !value.is_empty() {
            value.advance(1);
        }
        if field.is_empty() {
            return Some(Item::Comment(text(&value)));
        }
        self.size += field.len() + value.len() + 1;
        match &*field {
            b"data" => self.add_data(value),
            b"event" => self.name = Some(text(&value)),
            b"id" if !value.contains(&0) => self.id = Some(text(&value)),
            // `retry` would tell a browser to reconnect, which A2A does by subscribing again.
            _ => {}
        }
        None
    }

    fn add_data(&mut self, line: BytesMut) {
        match &mut self.data {
            Some(data) => {
                data.extend_from_slice(b"\n");
                data.extend_from_slice(&line);
            }
            None => self.data = Some(line),
        }
    }

    fn into_event(self) -> Option<Event> {
        let data = self.data?.freeze();
        let name = self.name.filter(|name| !name.is_empty());
        Some(Event {
            name,
            id: self.id,
            data,
        })
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
