"""The 6 × 6 matrix: every binding and version of a client, against every binding and version of an agent."""

from typing import NamedTuple

BINDINGS = ("JSONRPC", "HTTP+JSON", "GRPC")
VERSIONS = ("1.0", "0.3")

PYTHON_V1, PYTHON_V03 = "Python 1.3.0", "Python 0.3.26"
JAVASCRIPT_V1, JAVASCRIPT_V03 = "JavaScript 1.3.0", "JavaScript 0.3.14"

# The clients of each version; those of generation 1.x speak 0.3 through their compatibility transports.
CLIENTS = {"1.0": (PYTHON_V1, JAVASCRIPT_V1), "0.3": (PYTHON_V03, PYTHON_V1, JAVASCRIPT_V1)}

STEPS = {
    "send_blocking": "send",
    "send_stream": "stream with artifact chunks",
    "poll_long_task": "long task, polled",
    "input_required": "input required, continued",
    "cancel": "cancel",
    "list_tasks": "list",
    "unknown_task_error": "unknown task",
    "bad_params_error": "bad parameters",
    "push_crud": "create, get, list and delete push configurations",
    "push_delivery": "delivered push notification",
}
NOT_IN_V03 = "list_tasks"

# Agents of 0.3 take a message without parts, and some clients then fail on the answer; the gateway refuses it.
NOT_COMPARED = "bad_params_error"

NOT_REACHED = {"status": "not reached", "problem": None, "observed": None}


class Speech(NamedTuple):
    """A binding in a version: the row of a client or the column of an agent."""

    version: str
    binding: str

    def __str__(self) -> str:
        return f"{self.version} {self.binding}"

    @property
    def steps(self) -> list[str]:
        return [step for step in STEPS if self.version == "1.0" or step != NOT_IN_V03]


SPEECHES = [Speech(version, binding) for version in VERSIONS for binding in BINDINGS]

# Whose SDKs the agents are built on.
FAMILIES = ("python", "javascript")


def agent_of(family: str, column: Speech) -> tuple[str, ...]:
    """The agent that speaks as a column does and offers nothing else, with its arguments."""
    only = ("--transports", column.binding)
    if family == "python":
        return (PYTHON_V1, "--no-compat", *only) if column.version == "1.0" else (PYTHON_V03, *only)
    # The SDK of generation 0.3 has no gRPC.
    if column.version == "0.3" and column.binding != "GRPC":
        return (JAVASCRIPT_V03, *only)
    return (JAVASCRIPT_V1, "--versions", column.version, *only)


class Prevented(NamedTuple):
    """A step that a client cannot pass in some rows because of a fault of its SDK."""

    client: str
    rows: tuple[Speech, ...]
    step: str
    fault: str

    def concerns(self, client: str, row: Speech) -> bool:
        return client == self.client and row in self.rows


PREVENTED = [
    Prevented(
        PYTHON_V1,
        (Speech("0.3", "HTTP+JSON"),),
        "push_crud",
        "its 0.3 transport raises NotImplementedError for listing and deleting push configurations",
    ),
    Prevented(
        JAVASCRIPT_V1,
        (Speech("0.3", "HTTP+JSON"), Speech("0.3", "GRPC")),
        "send_stream",
        "its 0.3 transports drop `append` from the artifact chunks they receive",
    ),
]


class Cell(NamedTuple):
    """What one client's conversation in one cell came to."""

    passed: int
    expected: int
    differences: list[str]


def judge(client: str, row: Speech, report: dict, control: dict) -> Cell:
    """Holds a conversation through the gateway against the steps it must pass and against the control.

    The control is the same client with the same arguments, talking directly to an agent that speaks as the row does.
    """
    proxied, direct = ({step["step"]: step for step in each["steps"]} for each in (report, control))
    excused = [each.step for each in PREVENTED if each.concerns(client, row)]
    passed, differences = 0, []
    for name in row.steps:
        weigh = _excused if name in excused else _problem
        problem = weigh(name, proxied.get(name, NOT_REACHED), direct.get(name, NOT_REACHED))
        if problem:
            differences.append(f"{name}: {problem}")
        elif name not in excused:
            passed += 1
    if "whole conversation" in proxied:
        differences.append(proxied["whole conversation"]["problem"])
    return Cell(passed, len(row.steps) - len(excused), differences)


def _problem(name: str, step: dict, control: dict) -> str | None:
    if step["status"] != "pass":
        return f"{step['status']}, {step['problem']} (without a gateway: {control['status']})"
    comparable = control["status"] == "pass" and name != NOT_COMPARED
    if comparable and step["observed"] != control["observed"]:
        return f"\n    direct  {control['observed']}\n    gateway {step['observed']}"
    return None


def _excused(_name: str, step: dict, control: dict) -> str | None:
    """A fault of the SDK shows without the gateway, too, and only as long as it is there."""
    if step["status"] == "pass":
        return "passes now, take it off the table of what SDKs prevent"
    if control["status"] != "fail":
        return f"no fault of the SDK: {control['status']} without a gateway, but {step['problem']} through it"
    return None
