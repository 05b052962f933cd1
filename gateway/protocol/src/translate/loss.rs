//! What a conversion cannot carry, by name, so that records, metrics and documentation agree on it.

use std::fmt;

/// Names one thing that a conversion leaves out or has to guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// A member that the dialect does not know.
    UnknownMember,
    /// A task state that neither version knows.
    UnknownState,
    /// A role that is neither the user nor the agent.
    UnknownRole,
    /// A timestamp that cannot be read.
    Timestamp,
    /// The filename of a text or data part.
    PartFilename,
    /// The media type of a text or data part.
    PartMediaType,
    /// The tasks that a message refers to.
    ReferenceTaskIds,
    /// The wish for no history.
    HistoryLengthZero,
    /// A `final` flag that does not follow from the state.
    FinalFlag,
    /// The tenant of a request.
    Tenant,
    /// The metadata of a request about a task.
    RequestMetadata,
    /// All authentication schemes but the first.
    ExtraAuthenticationSchemes,
    /// The task id of a push configuration inside a message.
    InlinePushTaskId,
    /// The id of a push configuration that the client left out.
    PushConfigId,
    /// The paging of push configurations.
    PushListPaging,
    /// Digits of a number.
    NumberPrecision,
}

impl Loss {
    /// Lists every loss.
    pub const ALL: [Self; 16] = [
        Self::UnknownMember,
        Self::UnknownState,
        Self::UnknownRole,
        Self::Timestamp,
        Self::PartFilename,
        Self::PartMediaType,
        Self::ReferenceTaskIds,
        Self::HistoryLengthZero,
        Self::FinalFlag,
        Self::Tenant,
        Self::RequestMetadata,
        Self::ExtraAuthenticationSchemes,
        Self::InlinePushTaskId,
        Self::PushConfigId,
        Self::PushListPaging,
        Self::NumberPrecision,
    ];

    /// Returns the name in metrics and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownMember => "unknown_member",
            Self::UnknownState => "unknown_state",
            Self::UnknownRole => "unknown_role",
            Self::Timestamp => "timestamp",
            Self::PartFilename => "part_filename",
            Self::PartMediaType => "part_media_type",
            Self::ReferenceTaskIds => "reference_task_ids",
            Self::HistoryLengthZero => "history_length_zero",
            Self::FinalFlag => "final_flag",
            Self::Tenant => "tenant",
            Self::RequestMetadata => "request_metadata",
            Self::ExtraAuthenticationSchemes => "extra_authentication_schemes",
            Self::InlinePushTaskId => "inline_push_task_id",
            Self::PushConfigId => "push_config_id",
            Self::PushListPaging => "push_list_paging",
            Self::NumberPrecision => "number_precision",
        }
    }

    /// Returns the conversions in which it happens.
    pub const fn direction(self) -> &'static str {
        match self {
            Self::UnknownMember | Self::UnknownState | Self::Timestamp => "all",
            Self::UnknownRole => "all answers",
            Self::PartFilename | Self::PartMediaType | Self::Tenant | Self::InlinePushTaskId => {
                "1.0 to 0.3"
            }
            Self::ReferenceTaskIds | Self::HistoryLengthZero => "to 0.3 REST and gRPC",
            Self::FinalFlag | Self::ExtraAuthenticationSchemes => "0.3 to 1.0",
            Self::RequestMetadata => "0.3 to 1.0, and to 0.3 REST and gRPC",
            Self::PushConfigId => "requests without the id",
            Self::PushListPaging => "to 0.3 JSON-RPC",
            Self::NumberPrecision => "to gRPC",
        }
    }

    /// Returns what is lost, as one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::UnknownMember => {
                "A member that the protocol does not define is dropped: strict readers refuse it, protobuf and paths have no place for it."
            }
            Self::UnknownState => {
                "A task state that the protocol does not define becomes `unknown` or `TASK_STATE_UNSPECIFIED`."
            }
            Self::UnknownRole => {
                "A role that is missing or not defined becomes `ROLE_UNSPECIFIED`, or `agent` in 0.3 JSON-RPC."
            }
            Self::Timestamp => {
                "A timestamp that is no date and time of the years 1 to 9999 is dropped."
            }
            Self::PartFilename => {
                "The `filename` of a text or data part is dropped; files keep theirs."
            }
            Self::PartMediaType => {
                "The `mediaType` of a text or data part is dropped; files keep theirs."
            }
            Self::ReferenceTaskIds => "The `referenceTaskIds` of a message are dropped.",
            Self::HistoryLengthZero => {
                "A `historyLength` of 0 means all of the history there, so that 1 is asked for instead."
            }
            Self::FinalFlag => {
                "A `final` flag that says something else than the state does is dropped; the stream still ends."
            }
            Self::Tenant => "The `tenant` is dropped; an agent of 0.3 has one address per tenant.",
            Self::RequestMetadata => {
                "The `metadata` of a request about a task is dropped; canceling in 1.0 keeps it."
            }
            Self::ExtraAuthenticationSchemes => {
                "Authentication schemes of a push configuration after the first are dropped."
            }
            Self::InlinePushTaskId => {
                "The `taskId` of a push configuration inside a message is dropped; the message names the task."
            }
            Self::PushConfigId => {
                "The id of a push configuration may be left out in 0.3 only; the id of the task is sent instead."
            }
            Self::PushListPaging => {
                "Page size and page token of a list of push configurations are dropped; the list is whole."
            }
            Self::NumberPrecision => {
                "A number in metadata or a data part is rounded to a double: whole ones keep about 15 digits."
            }
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Counts losses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    counts: [u32; Loss::ALL.len()],
}

impl Losses {
    /// Counts one more.
    pub fn add(&mut self, loss: Loss) {
        self.add_times(loss, 1);
    }

    /// Counts so many more.
    pub fn add_times(&mut self, loss: Loss, times: usize) {
        if let Some(count) = self.counts.get_mut(loss as usize) {
            *count = count.saturating_add(u32::try_from(times).unwrap_or(u32::MAX));
        }
    }

    /// Counts those of another conversion as well.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
    }

    /// Returns how often something was lost.
    pub fn count(&self, loss: Loss) -> u32 {
        self.counts.get(loss as usize).copied().unwrap_or_default()
    }

    /// Tells whether something was lost at all.
    pub fn contains(&self, loss: Loss) -> bool {
        self.count(loss) > 0
    }

    /// Tells whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Goes through what was lost and how often.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u32)> + '_ {
        Loss::ALL
            .into_iter()
            .zip(self.counts)
            .filter(|(_, count)| *count > 0)
    }

    /// Writes the table of all losses as Markdown, for the documentation.
    pub fn table() -> String {
        let head = "| Loss | Conversion | What happens |\n|---|---|---|\n";
        let row = |loss: Loss| {
            let (name, direction) = (loss.name(), loss.direction());
            format!("| `{name}` | {direction} | {} |\n", loss.description())
        };
        std::iter::once(head.to_owned())
            .chain(Loss::ALL.into_iter().map(row))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, env, fs, path::Path};

    use super::*;

    #[test]
    fn every_loss_has_its_own_name_place_and_row() {
        let names: BTreeSet<_> = Loss::ALL.into_iter().map(Loss::name).collect();
        assert_eq!(names.len(), Loss::ALL.len());
        for (place, loss) in Loss::ALL.into_iter().enumerate() {
            assert_eq!(loss as usize, place, "{loss}");
            assert!(loss.description().ends_with('.'), "{loss}");
            assert!(Losses::table().contains(&format!("| `{loss}` |")), "{loss}");
        }
    }

    /// The documentation ends with the table.
    #[test]
    fn the_documented_table_is_up_to_date() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CONVERSIONS.md");
        let text = fs::read_to_string(&path).unwrap();
        let head = Losses::table().lines().next().map(str::to_owned).unwrap();
        let (introduction, _) = text.split_once(&head).unwrap();
        let current = format!("{introduction}{}", Losses::table());
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &current).unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap();
        assert_eq!(
            golden, current,
            "run the test with UPDATE_GOLDEN=1 and review the difference"
        );
    }

    #[test]
    fn losses_are_counted_and_added_up() {
        let mut losses = Losses::default();
        assert!(losses.is_empty());
        losses.add(Loss::Tenant);
        losses.add_times(Loss::UnknownRole, 0);
        let mut more = losses.clone();
        more.add(Loss::FinalFlag);
        losses.merge(&more);
        let counted: Vec<_> = losses.iter().collect();
        assert_eq!(counted, [(Loss::FinalFlag, 1), (Loss::Tenant, 2)]);
        assert!(losses.contains(Loss::Tenant) && !losses.contains(Loss::Timestamp));
    }
}
