#!/usr/bin/env python3
"""Completes the round-trip cases with what the official SDK's protobuf library makes of each.

    complete.py            rewrites `bytes` and `printed` of every case this SDK has the package for
    complete.py --check    compares instead

`given` is the JSON a peer might send, `bytes` (base64) the message read from it, `printed` the JSON written from those
bytes. `status.base64` holds the encoded error details that the tests of the crate expect. Run it with the Python of an
environment that has the SDK.
"""

import base64
import importlib
import json
import pathlib
import sys

from google.protobuf import json_format, message_factory
from google.rpc import error_details_pb2, status_pb2

MODULES = {"v1.json": "a2a.types.a2a_pb2", "v03.json": "a2a.compat.v0_3.a2a_v0_3_pb2"}


def whole(text):
    """Reads `1.0` as 1: the library writes every number of a `Struct` with a fraction, we do not."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**63 else number


def complete(case, service):
    method = service.methods_by_name[case["rpc"]]
    descriptor = method.input_type if case["side"] == "request" else method.output_type
    message = message_factory.GetMessageClass(descriptor)()
    json_format.ParseDict(case["given"], message, ignore_unknown_fields=True)
    printed = json_format.MessageToJson(message)
    return case | {
        "bytes": base64.b64encode(message.SerializeToString(deterministic=True)).decode(),
        "printed": json.loads(printed, parse_float=whole),
    }


def status():
    violation = error_details_pb2.BadRequest.FieldViolation(field="message.parts", description="must not be empty")
    status = status_pb2.Status(code=5, message="task `t-1` not found")
    for detail in [
        error_details_pb2.ErrorInfo(
            reason="TASK_NOT_FOUND", domain="a2a-protocol.org", metadata={"taskId": "t-1"}
        ),
        error_details_pb2.BadRequest(field_violations=[violation]),
    ]:
        status.details.add().Pack(detail)
    return base64.b64encode(status.SerializeToString(deterministic=True)).decode() + "\n"


def main():
    checking = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not checking:
        sys.exit(__doc__)
    path = pathlib.Path(__file__).with_name("status.base64")
    failed = checking and path.read_text() != status()
    if checking:
        print(f"{path.name}: {'DIFFERENT' if failed else 'same'}")
    else:
        path.write_text(status())
    for name, module in MODULES.items():
        service = importlib.import_module(module).DESCRIPTOR.services_by_name["A2AService"]
        path = pathlib.Path(__file__).with_name(name)
        cases = json.loads(path.read_text())
        completed = [complete(case, service) for case in cases]
        if checking:
            differing = [ours["name"] for ours, theirs in zip(cases, completed) if ours != theirs]
            print(f"{name}: {len(cases) - len(differing)} of {len(cases)} the same", *differing)
            failed = failed or bool(differing)
        else:
            path.write_text(json.dumps(completed, indent=2, ensure_ascii=False) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
