//! Compares the definitions, field by field, with what the official SDKs have compiled in.

use std::fmt::Write as _;

use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
};

use super::*;

/// Writes one line for each fact of a file, sorted; `tests/descriptors/extract.py` writes the same lines.
fn facts(file: &FileDescriptorProto) -> String {
    let mut lines = Vec::new();
    for message in &file.message_type {
        message_facts(message, file.package(), &mut lines);
    }
    for names in &file.enum_type {
        enum_facts(names, file.package(), &mut lines);
    }
    for service in &file.service {
        for method in &service.method {
            let name = format!("{}.{}/{}", file.package(), service.name(), method.name());
            let client = if method.client_streaming() {
                "stream "
            } else {
                ""
            };
            let server = if method.server_streaming() {
                "stream "
            } else {
                ""
            };
            let (input, output) = (method.input_type(), method.output_type());
            lines.push(format!("rpc {name} {input} {client}-> {server}{output}"));
        }
    }
    lines.sort();
    lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").unwrap();
        text
    })
}

fn message_facts(message: &DescriptorProto, parent: &str, lines: &mut Vec<String>) {
    let name = format!("{parent}.{}", message.name());
    lines.push(format!("message {name}"));
    lines.extend(
        message
            .field
            .iter()
            .map(|field| field_fact(field, message, &name)),
    );
    for nested in &message.nested_type {
        message_facts(nested, &name, lines);
    }
    for names in &message.enum_type {
        enum_facts(names, &name, lines);
    }
}

fn field_fact(field: &FieldDescriptorProto, message: &DescriptorProto, parent: &str) -> String {
    let kind = match field.r#type() {
        Type::Message | Type::Enum => field.type_name().to_owned(),
        scalar => scalar
            .as_str_name()
            .trim_start_matches("TYPE_")
            .to_lowercase(),
    };
    let mut fact = format!(
        "field {parent}.{} = {} {kind} {}",
        field.name(),
        field.number(),
        field.json_name()
    );
    if field.label() == Label::Repeated {
        fact.push_str(" repeated");
    }
    if field.proto3_optional() {
        fact.push_str(" optional");
    } else if let Some(index) = field.oneof_index {
        let oneof = &message.oneof_decl[usize::try_from(index).unwrap()];
        write!(fact, " oneof {}", oneof.name()).unwrap();
    }
    if field
        .options
        .as_ref()
        .is_some_and(|options| options.deprecated())
    {
        fact.push_str(" deprecated");
    }
    fact
}

fn enum_facts(names: &EnumDescriptorProto, parent: &str, lines: &mut Vec<String>) {
    for value in &names.value {
        lines.push(format!(
            "enum {parent}.{} {} = {}",
            names.name(),
            value.name(),
            value.number()
        ));
    }
}

fn assert_same(file: &str, golden: &str) {
    let ours = pool().get_file_by_name(file).unwrap();
    let ours = facts(ours.file_descriptor_proto());
    let missing: Vec<_> = golden
        .lines()
        .filter(|fact| !ours.lines().any(|line| line == *fact))
        .collect();
    let surplus: Vec<_> = ours
        .lines()
        .filter(|fact| !golden.lines().any(|line| line == *fact))
        .collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "missing: {missing:#?}\nsurplus: {surplus:#?}"
    );
    assert!(
        golden.lines().count() > 150,
        "the golden file holds a whole protocol"
    );
}

#[test]
fn version_1_0_equals_the_official_sdk() {
    assert_same(
        "lf/a2a/v1/a2a.proto",
        include_str!("../../tests/descriptors/lf.a2a.v1.txt"),
    );
}

#[test]
fn version_0_3_equals_the_official_sdk() {
    assert_same(
        "a2a/v1/a2a.proto",
        include_str!("../../tests/descriptors/a2a.v1.txt"),
    );
}
