//! W3C trace context: one trace from client to agent.

use uuid::Uuid;

/// The trace a call belongs to, as the agent will see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: String,
    span_id: String,
    flags: String,
    state: Option<String>,
}

impl TraceContext {
    /// Continues the trace of the `traceparent` and `tracestate` headers with a span of our own, or starts
    /// a new trace when there is none or it is malformed.
    #[must_use]
    pub fn continue_from(traceparent: Option<&str>, tracestate: Option<&str>) -> Self {
        let span_id = random_hex(16);
        match traceparent.and_then(parse) {
            Some((trace_id, flags)) => Self {
                trace_id: trace_id.to_owned(),
                span_id,
                flags: flags.to_owned(),
                state: tracestate
                    .filter(|state| !state.is_empty())
                    .map(str::to_owned),
            },
            None => Self {
                trace_id: random_hex(32),
                span_id,
                flags: "00".to_owned(),
                state: None,
            },
        }
    }

    /// Returns the trace id: 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// Returns the `traceparent` header for the agent.
    #[must_use]
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-{}", self.trace_id, self.span_id, self.flags)
    }

    /// Returns the `tracestate` header for the agent.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

fn parse(header: &str) -> Option<(&str, &str)> {
    let mut fields = header.trim().split('-');
    let (version, trace_id, parent, flags) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    let lower_hex = |text: &str, length: usize| {
        text.len() == length
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let nonzero = |text: &str| text.bytes().any(|byte| byte != b'0');
    let valid = lower_hex(version, 2)
        && version != "ff"
        && (version != "00" || fields.next().is_none())
        && lower_hex(trace_id, 32)
        && nonzero(trace_id)
        && lower_hex(parent, 16)
        && nonzero(parent)
        && lower_hex(flags, 2);
    valid.then_some((trace_id, flags))
}

/// Random digits from the end of a version 4 UUID, which is random there.
fn random_hex(digits: usize) -> String {
    let mut text = Uuid::new_v4().simple().to_string();
    text.split_off(text.len() - digits)
}

#[cfg(test)]
mod tests {
    use super::TraceContext;

    const PARENT: &str = "00-11111111111111111111111111111111-2222222222222222-01";

    #[test]
    fn c115_trace_goes_on_with_a_new_span() {
        let trace = TraceContext::continue_from(Some(PARENT), Some("a=b"));
        assert_eq!(trace.trace_id(), "1".repeat(32));
        assert!(trace.traceparent().ends_with("-01"));
        assert!(!trace.traceparent().contains("2222222222222222"));
        assert_eq!(trace.tracestate(), Some("a=b"));
    }

    #[test]
    fn c115_malformed_trace_starts_anew_without_its_state() {
        let zero = "00-00000000000000000000000000000000-2222222222222222-01";
        for bad in [
            "",
            "junk",
            zero,
            "00-1-2-01",
            &PARENT.to_uppercase().replace('1', "A"),
            &format!("{PARENT}-x"),
        ] {
            let trace = TraceContext::continue_from(Some(bad), Some("a=b"));
            assert_ne!(trace.trace_id(), "1".repeat(32), "{bad}");
            assert_eq!(trace.trace_id().len(), 32);
            assert_eq!(trace.tracestate(), None);
        }
    }
}
