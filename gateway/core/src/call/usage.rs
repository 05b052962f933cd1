//! What an agent says a result has cost, where the operator knows how to read it.

use gateway_protocol::view::ResultView;
use serde_json::{Value, value::RawValue};

use crate::{
    agent::{AgentId, Cost},
    feedback::is_amount,
};

/// Reads the cost of a result from the place that the configuration names. What stands there comes from the agent, so
/// anything that is no amount is left alone.
pub(super) fn cost(
    agent: &AgentId,
    cost: &Cost,
    (view, result): (&ResultView<'_>, &RawValue),
) -> Option<f64> {
    let pointer = cost.usage_pointer.as_deref()?;
    let tree: Value = serde_json::from_str(result.get()).ok()?;
    let object = view
        .path
        .iter()
        .try_fold(&tree, |tree, name| tree.get(name))?;
    let used = object.pointer(pointer)?;
    let amount = used.as_f64().map(|units| units * cost.per_unit);
    let believed = amount.filter(|amount| is_amount(*amount));
    if believed.is_none() {
        let shown: String = used.to_string().chars().take(64).collect();
        tracing::debug!(agent.id = %agent, "`{shown}` at {pointer} is no usage and is ignored");
    }
    believed
}

#[cfg(test)]
mod tests {
    use gateway_protocol::translate::Dialect;

    use super::*;

    fn read(usage: &str) -> Option<f64> {
        let charged = Cost {
            per_request: 0.0,
            usage_pointer: Some("/metadata/usage/tokens".to_owned()),
            per_unit: 0.5,
            currency: "EUR".to_owned(),
        };
        let result = format!(
            r#"{{"task":{{"id":"1","status":{{"state":"TASK_STATE_COMPLETED"}},"metadata":{{"usage":{{"tokens":{usage}}}}}}}}}"#
        );
        let result = RawValue::from_string(result).unwrap();
        let view = ResultView::read(Dialect::V1, &result);
        cost(&AgentId::parse("a").unwrap(), &charged, (&view, &result))
    }

    #[test]
    fn usage_is_priced_per_unit() {
        assert_eq!(read("300"), Some(150.0));
        assert_eq!(read("0"), Some(0.0));
    }

    #[test]
    fn what_is_no_amount_is_ignored() {
        for hostile in ["-1", "\"300\"", "1e300", "null", "[1]", "{}", "true"] {
            assert_eq!(read(hostile), None, "{hostile}");
        }
    }
}
