//! YAML text to a [`Node`] tree, with variables replaced and with limits on what a file may expand to.

use std::collections::HashMap;

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, Span};

use super::{
    hint,
    interpolate::{Environment, Unresolved, interpolate},
    report::{Place, Report},
    tree::{Entry, Mapping, Node, Scalar, Value},
};

/// The deepest nesting of lists and mappings.
const DEPTH: usize = 32;
/// What all nodes together may cost, aliases expanded.
const BUDGET: usize = 8 * 1024 * 1024;
/// What a node costs, besides its text in bytes.
const NODE_COST: usize = 32;

/// Parses a file of one document.
///
/// Problems that leave the rest of the file readable go to `reports`.
///
/// # Errors
/// The one report of a file that cannot be read further.
pub(super) fn parse(
    text: &str,
    environment: &Environment<'_>,
    reports: &mut Vec<Report>,
) -> Result<Option<Node>, Report> {
    let mut builder = Builder {
        environment,
        reports,
        stack: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        documents: 0,
        next_id: 0,
        spent: 0,
    };
    let mut options = Options::default();
    options.emit_comments = false;
    for step in Parser::new_from_str_with_options(text, options) {
        match step {
            Ok((event, span)) => builder.event(event, &span)?,
            Err(error) => {
                return Err(syntax_error(text, &error));
            }
        }
    }
    Ok(builder.root)
}

struct Builder<'a> {
    environment: &'a Environment<'a>,
    reports: &'a mut Vec<Report>,
    /// The collections that are still open, outermost first.
    stack: Vec<Open>,
    anchors: HashMap<usize, Node>,
    root: Option<Node>,
    documents: usize,
    next_id: usize,
    spent: usize,
}

struct Open {
    node: Node,
    anchor: usize,
    /// The key that waits for its value.
    key: Option<Node>,
    /// The keys so far, with their lines.
    lines: HashMap<String, usize>,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Report> {
        let place = place_of_span(span);
        if event.tag().is_some() {
            let help = "remove the tag; types follow from the key";
            return Err(Report::at(place, "tags are not supported", help));
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let help = "keep everything in one document";
                    return Err(Report::at(place, "a second document starts here", help));
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let node = self.scalar(&text, style == ScalarStyle::Plain, place)?;
                self.finish(node, anchor, place)?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(Value::List(Vec::new()), anchor, place)?;
            }
            Event::MappingStart(_, anchor, _) => {
                self.open(Value::Mapping(Mapping::default()), anchor, place)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.stack.pop() {
                    self.finish(Some(open.node), open.anchor, place)?;
                }
            }
            Event::Alias(anchor) => {
                let Some(mut node) = self.anchors.get(&anchor).cloned() else {
                    let help = "an alias must not be inside what it names";
                    return Err(Report::at(
                        place,
                        "the alias has no complete value here",
                        help,
                    ));
                };
                self.renumber(&mut node)?;
                self.finish(Some(node), 0, place)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes a scalar; nothing when a variable in it cannot be resolved. Keys are taken as they are.
    fn scalar(&mut self, text: &str, plain: bool, place: Place) -> Result<Option<Node>, Report> {
        let value = if self.expects_key() {
            Ok(text.into())
        } else {
            interpolate(text, self.environment)
        };
        let (message, help) = match value {
            Ok(value) => {
                let interpolated = matches!(value, std::borrow::Cow::Owned(_));
                let text = value.into_owned();
                let scalar = Scalar {
                    text,
                    plain,
                    interpolated,
                };
                return self.node(Value::Scalar(scalar), place).map(Some);
            }
            Err(Unresolved::Unset(name)) => (
                format!("the environment variable `{name}` is not set"),
                format!("set it, or give a default: `${{{name}:-…}}`"),
            ),
            Err(Unresolved::Malformed) => (
                "not a reference to an environment variable".to_owned(),
                "write `${NAME}` or `${NAME:-default}`, or `$${` for a literal `${`".to_owned(),
            ),
        };
        self.reports.push(Report::at(place, message, help));
        Ok(None)
    }

    fn expects_key(&self) -> bool {
        self.stack
            .last()
            .is_some_and(|open| open.key.is_none() && matches!(open.node.value, Value::Mapping(_)))
    }

    fn open(&mut self, value: Value, anchor: usize, place: Place) -> Result<(), Report> {
        if self.stack.len() >= DEPTH {
            return Err(Report::at(
                place,
                format!("nested deeper than {DEPTH} levels"),
                "",
            ));
        }
        let place = Place {
            width: usize::MAX,
            ..place
        };
        let node = self.node(value, place)?;
        self.stack.push(Open {
            node,
            anchor,
            key: None,
            lines: HashMap::new(),
        });
        Ok(())
    }

    fn node(&mut self, value: Value, place: Place) -> Result<Node, Report> {
        let length = match &value {
            Value::Scalar(scalar) => scalar.text.len(),
            Value::List(_) | Value::Mapping(_) => 0,
        };
        self.spend(length, place)?;
        self.next_id += 1;
        Ok(Node {
            id: self.next_id,
            place,
            value,
        })
    }

    fn spend(&mut self, length: usize, place: Place) -> Result<(), Report> {
        self.spent += NODE_COST + length;
        if self.spent > BUDGET {
            let message = format!("the file expands to more than {} MiB", BUDGET / 1024 / 1024);
            return Err(Report::at(place, message, "use fewer aliases"));
        }
        Ok(())
    }

    /// Gives a copied node ids of its own.
    fn renumber(&mut self, node: &mut Node) -> Result<(), Report> {
        self.spend(node.text().len(), node.place)?;
        self.next_id += 1;
        node.id = self.next_id;
        match &mut node.value {
            Value::Scalar(_) => Ok(()),
            Value::List(items) => items.iter_mut().try_for_each(|item| self.renumber(item)),
            Value::Mapping(mapping) => mapping.entries.iter_mut().try_for_each(|entry| {
                self.renumber(&mut entry.key)?;
                self.renumber(&mut entry.value)
            }),
        }
    }

    /// Puts a complete node where it belongs; `None` stands for one that was refused.
    fn finish(&mut self, node: Option<Node>, anchor: usize, place: Place) -> Result<(), Report> {
        if anchor > 0
            && let Some(node) = &node
        {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = node;
            return Ok(());
        };
        match (&mut open.node.value, open.key.take()) {
            (Value::List(items), _) => items.extend(node),
            (Value::Mapping(mapping), Some(key)) => {
                if let Some(line) = open.lines.get(key.text()) {
                    let message = format!("the key `{}` is given twice", hint::shown(key.text()));
                    let help = format!("keep one of them; the first is on line {line}");
                    self.reports.push(Report::at(key.place, message, help));
                    return Ok(());
                }
                open.lines.insert(key.text().to_owned(), key.place.line);
                match node {
                    Some(value) => mapping.entries.push(Entry { key, value }),
                    None => mapping.refused.push(key.text().to_owned()),
                }
            }
            (Value::Mapping(_), None) => {
                let Some(key) = node.filter(|node| matches!(node.value, Value::Scalar(_))) else {
                    return Err(Report::at(place, "a key must be plain text", ""));
                };
                open.key = Some(key);
            }
            (Value::Scalar(_), _) => {}
        }
        Ok(())
    }
}

fn syntax_error(text: &str, error: &ScanError) -> Report {
    let place = place_of(*error.marker(), 1);
    let near = text
        .lines()
        .take(place.line)
        .skip(place.line.saturating_sub(2));
    let help = if near
        .into_iter()
        .any(|line| line.contains('{') && line.contains("${"))
    {
        "inside `{ }` a reference needs quotes: `\"${NAME}\"`"
    } else {
        ""
    };
    Report::at(place, format!("not valid YAML: {}", error.info()), help)
}

fn place_of(start: Marker, width: usize) -> Place {
    Place {
        line: start.line().max(1),
        column: start.col() + 1,
        width,
    }
}

fn place_of_span(span: &Span) -> Place {
    let width = if span.start.line() == span.end.line() {
        span.end.col().saturating_sub(span.start.col())
    } else {
        usize::MAX
    };
    place_of(span.start, width)
}
