//! Follows whether a stream stands between two events.
//!
//! The parser keeps the beginning of an event to itself, and a stream that ends there was cut.

/// Where a stream of events stands.
#[derive(Debug)]
pub(super) struct Boundary {
    /// Fields of an event came that no blank line has ended yet.
    inside: bool,
    at_line_start: bool,
    after_return: bool,
}

impl Default for Boundary {
    fn default() -> Self {
        Self {
            inside: false,
            at_line_start: true,
            after_return: false,
        }
    }
}

impl Boundary {
    /// Takes the next bytes of the stream.
    pub(super) fn pass(&mut self, chunk: &[u8]) {
        for &byte in chunk {
            match byte {
                b'\n' if self.after_return => {}
                b'\r' | b'\n' => {
                    self.inside &= !self.at_line_start;
                    self.at_line_start = true;
                }
                _ => {
                    self.inside |= self.at_line_start && byte != b':';
                    self.at_line_start = false;
                }
            }
            self.after_return = byte == b'\r';
        }
    }

    /// Tells whether an event has begun and not ended.
    pub(super) fn is_inside_event(&self) -> bool {
        self.inside
    }
}

#[cfg(test)]
mod tests {
    use super::Boundary;

    fn inside_after(text: &str) -> bool {
        let mut boundary = Boundary::default();
        // Single bytes, so that every chunk border is crossed.
        text.as_bytes()
            .chunks(1)
            .for_each(|chunk| boundary.pass(chunk));
        boundary.is_inside_event()
    }

    #[test]
    fn blank_lines_end_events_whatever_the_line_ends_are() {
        for text in [
            "",
            "\n",
            "data: x\n\n",
            "data: x\r\n\r\n",
            "data: x\r\r",
            "data: x\r\n\n",
            "id: 1\n\n: ping",
        ] {
            assert!(!inside_after(text), "{text:?}");
        }
    }

    #[test]
    fn begun_events_and_lines_are_inside() {
        for text in [
            "d",
            "data: x",
            "data: x\n",
            "data: x\r\n",
            "data: x\n\nid: 2\n",
            "data: x\n: ping\n",
        ] {
            assert!(inside_after(text), "{text:?}");
        }
    }
}
