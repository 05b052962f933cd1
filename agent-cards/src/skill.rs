//! What an agent can do, one entry of a card's `skills`.

use crate::members::{self, Object};

/// A skill of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// The identifier; the name where the card gives none.
    pub id: String,
    /// The name for people; the identifier where the card gives none.
    pub name: String,
    /// What the skill does, empty if the card does not say.
    pub description: String,
    /// Keywords.
    pub tags: Vec<String>,
    /// Prompts the skill can handle.
    pub examples: Vec<String>,
    /// Accepted media types; empty means the card's, see [`Card::input_modes`](crate::Card::input_modes).
    pub input_modes: Vec<String>,
    /// Produced media types; empty means the card's, see [`Card::output_modes`](crate::Card::output_modes).
    pub output_modes: Vec<String>,
}

impl Skill {
    /// Reads a skill, or nothing when it has neither identifier nor name to call it by.
    pub(crate) fn read(skill: &Object) -> Option<Self> {
        let filled = |name| members::text(skill, name).filter(|text| !text.is_empty());
        let id = filled("id").or_else(|| filled("name"))?;
        Some(Self {
            id: id.to_owned(),
            name: filled("name").unwrap_or(id).to_owned(),
            description: members::text(skill, "description")
                .unwrap_or_default()
                .to_owned(),
            tags: members::texts(skill, "tags"),
            examples: members::texts(skill, "examples"),
            input_modes: members::texts(skill, "inputModes"),
            output_modes: members::texts(skill, "outputModes"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn c012_missing_and_null_lists_count_as_empty() {
        let skill = json!({"id": "pay", "tags": null});
        let skill = Skill::read(skill.as_object().unwrap()).unwrap();
        assert_eq!((skill.id.as_str(), skill.name.as_str()), ("pay", "pay"));
        assert!(skill.tags.is_empty() && skill.examples.is_empty());
    }

    #[test]
    fn skill_that_cannot_be_named_is_no_skill() {
        let skill = json!({"id": "", "description": "?"});
        assert_eq!(Skill::read(skill.as_object().unwrap()), None);
    }
}
