//! Lines of a text, one at a time, none larger than memory should hold.

use std::io::{self, BufRead, Read as _};

/// The longest line that is read.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Reads lines and numbers them.
#[derive(Debug)]
pub(super) struct Lines<R> {
    text: R,
    line: Vec<u8>,
    number: u64,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// Without blanks at its ends.
    Text(&'l [u8]),
    /// Its text was passed over.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(text: R) -> Self {
        Self {
            text,
            line: Vec::new(),
            number: 0,
        }
    }

    /// Returns the next line and its number.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        if self.read_part()? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if !self.is_cut() {
            return Ok(Some((self.number, Line::Text(self.line.trim_ascii()))));
        }
        while self.is_cut() && self.read_part()? > 0 {}
        Ok(Some((self.number, Line::TooLong)))
    }

    fn read_part(&mut self) -> io::Result<usize> {
        self.line.clear();
        let mut part = self.text.by_ref().take(LONGEST);
        part.read_until(b'\n', &mut self.line)
    }

    fn is_cut(&self) -> bool {
        u64::try_from(self.line.len()).unwrap_or(u64::MAX) >= LONGEST
            && self.line.last() != Some(&b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_long_ones_passed_over() {
        let long = "x".repeat(9 * 1024 * 1024);
        let text = format!("one\r\n\n{long}\nlast");
        let mut lines = Lines::new(text.as_bytes());
        assert_eq!(lines.next().unwrap(), Some((1, Line::Text(b"one"))));
        assert_eq!(lines.next().unwrap(), Some((2, Line::Text(b""))));
        assert_eq!(lines.next().unwrap(), Some((3, Line::TooLong)));
        assert_eq!(lines.next().unwrap(), Some((4, Line::Text(b"last"))));
        assert_eq!(lines.next().unwrap(), None);
    }
}
