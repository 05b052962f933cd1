"""The frame of a scripted conversation: runs the steps in the order they are written and reports how each went."""

import argparse
import asyncio
import json
import sys
import time
from urllib.parse import urlparse

STEP_TIMEOUT_S = 25

# Without these there is nobody to talk to: when one fails the conversation ends.
ESSENTIAL = ("card_resolve", "connect")
# With --only these run all the same, because the other steps build on them.
GROUNDWORK = (*ESSENTIAL, "send_blocking")


class Skip(Exception):
    """Raised by a step that does not apply, with the reason."""


def need(condition: object, otherwise: object) -> None:
    """Fails the running step unless the condition holds."""
    if not condition:
        raise AssertionError(str(otherwise))


def step(method):
    """Marks a method as a step. What it returns must be the same with and without a gateway in between."""
    method.is_step = True
    return method


class Conversation:
    """Base of the clients: a subclass adds the steps, and sets `http` and `url` when it is connected."""

    client_name = ""
    http = None
    url = ""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.base = options.base
        self.binding = options.binding
        self.report: list[dict] = []
        self.notes: dict = {}

    def note(self, **measured: object) -> None:
        """Adds to the running step's report what may differ from run to run."""
        self.notes.update(measured)

    def describe_error(self, error: Exception) -> str:
        """What a failed call looks like to the user of the SDK, without the wording."""
        return type(error).__name__

    async def refused(self, call, *expected: str) -> str:
        """Awaits a call that must fail, in one of the expected ways if any are named."""
        try:
            answer = await call
        except Exception as error:  # noqa: BLE001 - any error of the SDK is an answer here
            seen = self.describe_error(error)
            self.note(message=str(error)[:160])
            need(not expected or any(name in seen for name in expected), f"wanted {' or '.join(expected)}, got {seen}")
            return seen
        raise AssertionError(f"no error; got {str(answer)[:200]}")

    async def post(self, body: object, **headers: str):
        """Posts what no SDK would send, as JSON unless it is a string already, and returns the answer."""
        if self.binding != "JSONRPC":
            raise Skip("JSON-RPC only")
        content = body if isinstance(body, str) else json.dumps(body)
        headers = {"content-type": "application/json", **headers}
        response = await self.http.post(self.url, content=content, headers=headers)
        self.note(status=response.status_code)
        return response.json()

    async def error_code(self, expected: int, body: object, **headers: str) -> int:
        """Posts what must be answered by this JSON-RPC error."""
        answer = await self.post(body, **headers)
        need(answer.get("error", {}).get("code") == expected, f"wanted {expected}, got {str(answer)[:200]}")
        return expected

    async def run(self) -> dict:
        """Runs the steps and returns the report."""
        for name, method in self._steps():
            await self._run_step(name, method)
            if self.report[-1]["status"] == "fail" and name in ESSENTIAL:
                break
        return {"client": self.client_name, "base": self.base, "binding": self.binding, "steps": self.report}

    def _steps(self):
        names = [name for name, member in vars(type(self)).items() if getattr(member, "is_step", False)]
        only = self.options.only and [*GROUNDWORK, *self.options.only.split(",")]
        return [(name, getattr(self, name)) for name in names if not only or name in only]

    async def _run_step(self, name: str, method) -> None:
        started = time.perf_counter()
        self.notes = {}
        observed, problem = None, None
        try:
            observed, status = await asyncio.wait_for(method(), STEP_TIMEOUT_S), "pass"
        except Skip as reason:
            status, problem = "skip", str(reason)
        except TimeoutError:
            status, problem = "fail", f"no end after {STEP_TIMEOUT_S} s"
        except AssertionError as reason:
            status, problem = "fail", str(reason)
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises is reported, and the next step runs
            status, problem = "fail", f"{self.describe_error(error)}: {str(error)[:400]}"
        self.report.append(
            {
                "step": name,
                "status": status,
                "ms": round((time.perf_counter() - started) * 1000),
                "observed": observed,
                "problem": problem,
                "notes": self.notes,
            }
        )


def away_from(base: str, urls: list[str]) -> list[str]:
    """The HTTP URLs that lead to another host or port than the base does."""
    here = urlparse(base).netloc
    return [url for url in urls if url.startswith("http") and urlparse(url).netloc != here]


def chunks(count: int) -> str:
    """The text of all chunks that a `stream` command sends."""
    return "".join(f"chunk-{i};" for i in range(count))


def request(method: str, params: dict) -> dict:
    """A JSON-RPC request to be posted by hand."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def argument_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("base", help="where the agent is; its card is looked for below")
    parser.add_argument("--binding", default="JSONRPC", choices=["JSONRPC", "HTTP+JSON", "GRPC"])
    parser.add_argument("--card-path", help="where the card is, relative to the base")
    parser.add_argument("--only", metavar="STEP,…", help="run these steps, and those they build on")
    parser.add_argument("--json", action="store_true", help="print the whole report")
    return parser


def main(conversation: Conversation) -> None:
    """Runs the conversation, prints its report and exits with 1 if a step failed."""
    report = asyncio.run(conversation.run())
    steps = report["steps"]
    failed = [each for each in steps if each["status"] == "fail"]
    if conversation.options.json:
        print(json.dumps(report, default=str))
    else:
        for each in steps:
            print(f"{each['status']:5}{each['ms']:6} ms  {each['step']}", each["problem"] or "")
        passed = sum(each["status"] == "pass" for each in steps)
        skipped = len(steps) - passed - len(failed)
        print(f"{report['client']}: {passed} passed, {len(failed)} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
