"""Holds what a client reports through the gateway against what it reports when it talks to the agent directly."""

from collections.abc import Iterable
from typing import NamedTuple

# Steps that need an operation which the gateway does not have yet. One that passes must be taken off this table.
NOT_YET = {
    "card_signature": "a card rewritten for the gateway does not carry the agent's signature",
}

# What the federated endpoint does not have, whatever the agents behind it have.
NOT_FEDERATED = {
    "extended_card": "agents have extended cards, the federated endpoint has none of its own",
}


class Verdict(NamedTuple):
    """What one conversation came to; each difference is one line or more, to be read by a person."""

    passed: int
    missing: list[str]
    differences: list[str]


def judge_direct(report: dict, baseline: int) -> Verdict:
    """The control must itself be sound, or it would excuse the gateway."""
    steps = report["steps"]
    passed = sum(step["status"] == "pass" for step in steps)
    if passed >= baseline:
        return Verdict(passed, [], [])
    failed = [f"{step['step']}: {step['problem']}" for step in steps if step["status"] == "fail"]
    return Verdict(passed, [], [f"only {passed} of {baseline} steps pass without a gateway", *failed])


def judge_proxied(report: dict, direct: dict, absent: Iterable[str]) -> Verdict:
    """Every step that passes directly must pass through the gateway and observe the same, but for the absent ones."""
    proxied = {step["step"]: step for step in report["steps"]}
    passed, missing, differences = 0, [], []
    for control in direct["steps"]:
        if control["status"] != "pass":
            continue
        name = control["step"]
        step = proxied.get(name, {"status": "not reached", "problem": None})
        if name in absent:
            missing.append(name)
            if step["status"] == "pass":
                differences.append(f"{name}: passes now, take it off the table of what is not there")
        elif step["status"] != "pass":
            differences.append(f"{name}: {step['status']}, {step['problem']}")
        elif step["observed"] != control["observed"]:
            differences.append(f"{name}:\n    direct  {control['observed']}\n    gateway {step['observed']}")
        else:
            passed += 1
    if "whole conversation" in proxied:
        differences.append(proxied["whole conversation"]["problem"])
    return Verdict(passed, missing, differences)
