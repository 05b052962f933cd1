"""What became of each test, as read from pytest's reports and as kept for comparison."""

import json
import pathlib
from collections import Counter, defaultdict
from typing import TypedDict
from xml.etree import ElementTree

OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed")

REASON_LIMIT = 300


class Result(TypedDict):
    """The outcome of one test, and why it is not `passed`."""

    group: str
    outcome: str
    reason: str


Results = dict[str, Result]


def read_junit(folder: pathlib.Path) -> Results:
    """Reads all reports of a run; a test is named by its part, its module, and itself."""
    results: Results = {}
    for report in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            module = [word for word in case.get("classname", "").split(".") if not word.startswith("Test")]
            group = f"{report.stem}: {'/'.join(module[2:])}"
            name = f"{report.stem}: {case.get('classname')}.{case.get('name')}"
            outcome, reason = outcome_of(case)
            # pytest writes a test that fails and whose teardown fails too as two cases.
            if results.get(name, {}).get("outcome") not in ("failed", "error"):
                results[name] = Result(group=group, outcome=outcome, reason=reason)
    return results


def outcome_of(case: ElementTree.Element) -> tuple[str, str]:
    for child in case:
        reason = (child.get("message") or "").strip()[:REASON_LIMIT].replace("\n", " ")
        if child.tag == "failure":
            return "failed", reason
        if child.tag == "error":
            return "error", reason
        if child.tag == "skipped":
            return "xfailed" if child.get("type") == "pytest.xfail" else "skipped", reason
    return "passed", ""


def write_results(results: Results, folder: pathlib.Path) -> None:
    """Writes all results for `compare`, and the failed ones as a list for people."""
    (folder / "results.json").write_text(json.dumps(results, indent=1))
    failed = [
        f"{name}\n  {result['reason']}\n"
        for name, result in results.items()
        if result["outcome"] in ("failed", "error")
    ]
    (folder / "failed.txt").write_text("".join(failed))


def read_results(folder: pathlib.Path) -> Results:
    return json.loads((folder / "results.json").read_text())


def print_counts(results: Results) -> None:
    groups: dict[str, Counter] = defaultdict(Counter)
    for result in results.values():
        groups[result["group"]][result["outcome"]] += 1
    total = sum(groups.values(), Counter())
    width = max(len(group) for group in groups)
    print(f"{'category':{width}} " + " ".join(f"{outcome:>8}" for outcome in OUTCOMES))
    for group, counts in [*groups.items(), ("total", total)]:
        print(f"{group:{width}} " + " ".join(f"{counts[outcome]:8}" for outcome in OUTCOMES))
