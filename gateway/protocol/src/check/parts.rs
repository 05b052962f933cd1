//! Checks that a message has parts and that each part has content.

use super::{Checked, Violation, members, optional_string, raw_members};
use crate::json::{Kind, Raw};
use crate::translate::Dialect;

/// Checks an array of parts, which comes with its name.
pub(super) fn check(dialect: Dialect, (name, parts): (&'static str, Raw<'_>)) -> Checked<()> {
    let mut cursor = parts.cursor();
    let mut index = 0_usize;
    if cursor.enter_array() {
        while cursor.next_element() {
            let part = cursor.value();
            check_part(dialect, part).map_err(|problem| problem.into_violation(name, index))?;
            index += 1;
        }
    }
    if index == 0 {
        return Err(Violation::new(name, "must hold at least one part"));
    }
    Ok(())
}

/// Is what is wrong with a part: itself, or a member of it.
enum Problem {
    Part(&'static str),
    Member(Violation),
}

impl Problem {
    fn into_violation(self, name: &str, index: usize) -> Violation {
        let part = format!("{name}[{index}]");
        match self {
            Self::Part(problem) => Violation::new(part, problem),
            Self::Member(violation) => violation.within(&part),
        }
    }
}

impl From<Violation> for Problem {
    fn from(violation: Violation) -> Self {
        Self::Member(violation)
    }
}

fn check_part(dialect: Dialect, part: Raw<'_>) -> Result<(), Problem> {
    if part.kind() != Some(Kind::Object) {
        return Err(Problem::Part("must be an object"));
    }
    match dialect {
        Dialect::V03 | Dialect::V03Proto => check_old_part(part),
        Dialect::V1 => check_new_part(part),
    }
}

fn check_new_part(part: Raw<'_>) -> Result<(), Problem> {
    let [text, raw, url, data] = raw_members(part, ["text", "raw", "url", "data"])?;
    let strings = [("text", text), ("raw", raw), ("url", url)];
    // A present `data` may be any value, also `null`.
    let mut has_content = data.is_some();
    for (name, value) in strings {
        let value = value.and_then(Raw::present);
        optional_text(value, name)?;
        has_content |= value.is_some();
    }
    if has_content {
        return Ok(());
    }
    Err(Problem::Part("must have one of text, raw, url or data"))
}

fn check_old_part(part: Raw<'_>) -> Result<(), Problem> {
    let [text, file, data] = members(part, ["text", "file", "data"])?;
    optional_text(text, "text")?;
    if text.is_none() && data.is_none() && file.is_none() {
        return Err(Problem::Part("must have one of text, file or data"));
    }
    if let Some(file) = file {
        check_file(file)?;
    }
    Ok(())
}

/// Checks a 0.3 file, whose content real clients also put under the names of the protobuf form.
fn check_file(file: Raw<'_>) -> Result<(), Problem> {
    if file.kind() != Some(Kind::Object) {
        return Err(Violation::new("file", "must be an object").into());
    }
    let names = ["bytes", "uri", "fileWithBytes", "fileWithUri", "data"];
    let contents = members(file, names).map_err(|violation| violation.within("file"))?;
    if contents.iter().all(Option::is_none) {
        return Err(Violation::new("file", "must have bytes or uri").into());
    }
    Ok(())
}

/// Checks a string without decoding it: text of a message may hold what Rust text cannot.
fn optional_text(member: Option<Raw<'_>>, name: &'static str) -> Checked<()> {
    if member.is_some_and(|member| member.kind() == Some(Kind::String)) {
        return Ok(());
    }
    optional_string(member, name)
}
