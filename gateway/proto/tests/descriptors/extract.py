#!/usr/bin/env python3
"""Writes what the installed official SDK (`a2a-sdk`) has compiled in, one fact on a line, and checks our copy of it.

    extract.py --check     compares every package this SDK has with the files beside this script
    extract.py PACKAGE     prints the facts of `lf.a2a.v1` or `a2a.v1`

Run it with the Python of an environment that has the SDK: 1.x has both packages, 0.3.x has `a2a.v1` only.
"""

import importlib
import pathlib
import sys

from google.protobuf import descriptor_pb2

MODULES = {
    "lf.a2a.v1": ["a2a.types.a2a_pb2"],
    "a2a.v1": ["a2a.compat.v0_3.a2a_v0_3_pb2", "a2a.grpc.a2a_pb2"],
}
FIELD = descriptor_pb2.FieldDescriptorProto


def load(package):
    """Returns the file descriptor of a package, or None if this SDK does not have it."""
    for name in MODULES[package]:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        file = descriptor_pb2.FileDescriptorProto()
        file.ParseFromString(module.DESCRIPTOR.serialized_pb)
        if file.package == package:
            return file
    return None


def facts(file):
    lines = []
    for message in file.message_type:
        message_facts(message, file.package, lines)
    for names in file.enum_type:
        enum_facts(names, file.package, lines)
    for service in file.service:
        for method in service.method:
            client = "stream " if method.client_streaming else ""
            server = "stream " if method.server_streaming else ""
            name = f"{file.package}.{service.name}/{method.name}"
            lines.append(f"rpc {name} {method.input_type} {client}-> {server}{method.output_type}")
    return "".join(f"{line}\n" for line in sorted(lines))


def message_facts(message, parent, lines):
    name = f"{parent}.{message.name}"
    lines.append(f"message {name}")
    lines.extend(field_fact(field, message, name) for field in message.field)
    for nested in message.nested_type:
        message_facts(nested, name, lines)
    for names in message.enum_type:
        enum_facts(names, name, lines)


def field_fact(field, message, parent):
    kind = field.type_name or FIELD.Type.Name(field.type).removeprefix("TYPE_").lower()
    fact = f"field {parent}.{field.name} = {field.number} {kind} {field.json_name}"
    if field.label == FIELD.LABEL_REPEATED:
        fact += " repeated"
    if field.proto3_optional:
        fact += " optional"
    elif field.HasField("oneof_index"):
        fact += f" oneof {message.oneof_decl[field.oneof_index].name}"
    if field.options.deprecated:
        fact += " deprecated"
    return fact


def enum_facts(names, parent, lines):
    lines.extend(f"enum {parent}.{names.name} {value.name} = {value.number}" for value in names.value)


def check():
    found = {package: load(package) for package in MODULES}
    found = {package: file for package, file in found.items() if file is not None}
    if not found:
        sys.exit("this Python has no a2a-sdk")
    differing = []
    for package, file in found.items():
        golden = pathlib.Path(__file__).with_name(f"{package}.txt").read_text()
        same = golden == facts(file)
        print(f"{package}: {'same' if same else 'DIFFERENT'} ({golden.count(chr(10))} facts)")
        if not same:
            differing.append(package)
    sys.exit(1 if differing else 0)


def main():
    match sys.argv[1:]:
        case ["--check"]:
            check()
        case [package] if package in MODULES:
            file = load(package)
            if file is None:
                sys.exit(f"this SDK has no package {package}")
            sys.stdout.write(facts(file))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
