//! Walks the places of a document and splices exchanged ids into a copy, made at the first exchange.

use std::borrow::Cow;

use super::places::{Member, Place, TaskText};
use super::{Exchange, IdKind};
use crate::json::{Cursor, Raw, encode, is_named};

pub(super) struct Rewriter<'a, 'f, 'e, E> {
    source: &'a str,
    exchange: &'f mut Exchange<'e, E>,
    out: Vec<u8>,
    /// How much of the source `out` stands for.
    copied: usize,
}

impl<'a, 'f, 'e, E> Rewriter<'a, 'f, 'e, E> {
    pub(super) fn new(source: &'a str, exchange: &'f mut Exchange<'e, E>) -> Self {
        Self {
            source,
            exchange,
            out: Vec::new(),
            copied: 0,
        }
    }

    /// Visits an object; the recursion is as deep as the table, not as the document.
    pub(super) fn object(
        &mut self,
        cursor: &mut Cursor<'a>,
        members: &'static [Member],
    ) -> Result<(), E> {
        if !cursor.enter_object() {
            return Ok(());
        }
        while let Some(name) = cursor.next_member() {
            let place = members
                .iter()
                .find_map(|(member, place)| is_named(&name, member).then_some(*place));
            match place {
                None => cursor.skip(),
                Some(Place::Id(kind)) => self.id(kind, cursor.value())?,
                Some(Place::Task(form)) => self.task(form, cursor.value())?,
                Some(Place::Ids(kind)) => self.ids(kind, cursor)?,
                Some(Place::Object(inner)) => self.object(cursor, inner)?,
                Some(Place::Objects(inner)) => self.objects(cursor, inner)?,
            }
        }
        Ok(())
    }

    /// Visits an array of objects.
    pub(super) fn objects(
        &mut self,
        cursor: &mut Cursor<'a>,
        members: &'static [Member],
    ) -> Result<(), E> {
        if cursor.enter_array() {
            while cursor.next_element() {
                self.object(cursor, members)?;
            }
        }
        Ok(())
    }

    /// Returns the source itself when nothing was exchanged.
    pub(super) fn finish(mut self) -> Cow<'a, [u8]> {
        if self.copied == 0 {
            return Cow::Borrowed(self.source.as_bytes());
        }
        self.copy_until(self.source.len());
        Cow::Owned(self.out)
    }

    fn ids(&mut self, kind: IdKind, cursor: &mut Cursor<'a>) -> Result<(), E> {
        if cursor.enter_array() {
            while cursor.next_element() {
                self.id(kind, cursor.value())?;
            }
        }
        Ok(())
    }

    fn id(&mut self, kind: IdKind, value: Raw<'a>) -> Result<(), E> {
        let Some(id) = value.string().filter(|id| !id.is_empty()) else {
            return Ok(());
        };
        if let Some(other) = (self.exchange)(kind, &id)? {
            self.replace(value, &other);
        }
        Ok(())
    }

    /// Exchanges the id of a task within a resource name.
    fn task(&mut self, form: TaskText, value: Raw<'a>) -> Result<(), E> {
        let Some(mut text) = value.string() else {
            return Ok(());
        };
        let Some(span) = form.id_within(&text) else {
            return Ok(());
        };
        let id = text.get(span.clone()).unwrap_or_default();
        if let Some(other) = (self.exchange)(IdKind::Task, id)? {
            text.to_mut().replace_range(span, &other);
            self.replace(value, &text);
        }
        Ok(())
    }

    fn replace(&mut self, value: Raw<'a>, text: &str) {
        self.copy_until(value.start);
        self.out.extend_from_slice(encode(text).as_bytes());
        self.copied = value.end();
    }

    fn copy_until(&mut self, end: usize) {
        if self.out.is_empty() {
            self.out.reserve(self.source.len() + self.source.len() / 4);
        }
        let piece = self.source.as_bytes().get(self.copied..end);
        self.out.extend_from_slice(piece.unwrap_or_default());
    }
}
