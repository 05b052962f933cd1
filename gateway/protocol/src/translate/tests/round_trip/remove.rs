//! Takes out of a value what losses name, and what means the same whether it is said or not.

use serde_json::Map;

use super::{Dialect, Half, Loss, Losses, Operation, Sample, V1, V03, Value};

/// Removes what the losses name; returns what was found to remove.
pub(super) fn lost(sample: &mut Sample, losses: &Losses) -> Losses {
    let mut remover = Remover {
        losses,
        removed: Losses::default(),
    };
    if sample.half == Half::Params {
        remover.visit_params(sample);
    } else if sample.operation == Operation::ListTaskPushNotificationConfigs
        && remover.takes(Loss::PushListPaging, &sample.value["nextPageToken"] != "")
    {
        sample.value["nextPageToken"] = "".into();
    }
    let dialect = sample.dialect;
    walk(&mut sample.value, "", &mut |owner, members| {
        remover.visit_object(owner, members, dialect);
    });
    remover.removed
}

/// Visits the objects of the protocol with the names of the members that hold them, but no user data.
fn walk(value: &mut Value, owner: &str, visit: &mut impl FnMut(&str, &mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            visit(owner, members);
            for (name, value) in members {
                if name != "metadata" && name != "data" {
                    walk(value, name, visit);
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                walk(element, owner, visit);
            }
        }
        _ => {}
    }
}

struct Remover<'a> {
    losses: &'a Losses,
    removed: Losses,
}

impl Remover<'_> {
    fn takes(&mut self, loss: Loss, is_there: bool) -> bool {
        let takes = is_there && self.losses.contains(loss);
        if takes {
            self.removed.add(loss);
        }
        takes
    }

    fn remove(&mut self, loss: Loss, members: &mut Map<String, Value>, name: &str) {
        if self.takes(loss, members.contains_key(name)) {
            members.shift_remove(name);
        }
    }

    fn visit_params(&mut self, sample: &mut Sample) {
        let task = sample.value["id"].clone();
        let members = sample.value.as_object_mut().unwrap();
        if !sample.operation.sends_message() {
            self.remove(Loss::RequestMetadata, members, "metadata");
        }
        if self.losses.contains(Loss::PushListPaging) {
            self.removed.add(Loss::PushListPaging);
            members.shift_remove("pageSize");
            members.shift_remove("pageToken");
        }
        if self.losses.contains(Loss::PushConfigId) {
            self.removed.add(Loss::PushConfigId);
            members.insert("pushNotificationConfigId".to_owned(), task);
        }
    }

    fn visit_object(&mut self, owner: &str, members: &mut Map<String, Value>, dialect: Dialect) {
        if members.get("historyLength") == Some(&0.into())
            && self.takes(Loss::HistoryLengthZero, true)
        {
            members.insert("historyLength".to_owned(), 1.into());
        }
        let is_file = members.contains_key("raw") || members.contains_key("url");
        if owner == "parts" && dialect == V1 && !is_file {
            self.remove(Loss::PartFilename, members, "filename");
            self.remove(Loss::PartMediaType, members, "mediaType");
        }
        self.remove(Loss::ReferenceTaskIds, members, "referenceTaskIds");
        if owner == "taskPushNotificationConfig" {
            self.remove(Loss::InlinePushTaskId, members, "taskId");
        }
        self.remove(Loss::Tenant, members, "tenant");
        if let Some(Value::Array(schemes)) = members.get_mut("schemes") {
            while schemes.len() > 1 && self.takes(Loss::ExtraAuthenticationSchemes, true) {
                schemes.pop();
            }
        }
        self.correct_final(members);
    }

    fn correct_final(&mut self, members: &mut Map<String, Value>) {
        let Some(Value::Bool(is_final)) = members.get("final") else {
            return;
        };
        let ends = [
            "completed",
            "failed",
            "canceled",
            "rejected",
            "input-required",
        ];
        let state = members["status"]["state"].as_str().unwrap();
        let usual = ends.contains(&state);
        if *is_final != usual && self.takes(Loss::FinalFlag, true) {
            members.insert("final".to_owned(), usual.into());
        }
    }
}

/// Removes what says no more than its absence: an empty configuration, and the wait flag at its default.
pub(super) fn said_in_two_ways(sample: &mut Sample) {
    if sample.half != Half::Params || !sample.operation.sends_message() {
        return;
    }
    let params = sample.value.as_object_mut().unwrap();
    let Some(Value::Object(configuration)) = params.get_mut("configuration") else {
        return;
    };
    let (name, default) = match sample.dialect {
        V03 => ("blocking", true),
        _ => ("returnImmediately", false),
    };
    if configuration.get(name) == Some(&default.into()) {
        configuration.shift_remove(name);
    }
    if configuration.is_empty() {
        params.shift_remove("configuration");
    }
}
