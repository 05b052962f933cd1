"""The official SDKs' agents and clients, and who talks with whom."""

import json
import pathlib
import signal
import subprocess
import sys
from typing import NamedTuple

from harness.background import HOST, Background, free_ports

INTEROP = pathlib.Path(__file__).resolve().parent.parent
ROOT = INTEROP.parent.parent
LAB = ROOT / ".lab"
LOGS = LAB / "logs" / "interop"
CARD_PATH = ".well-known/agent-card.json"

CLIENT_LIMIT_S = 150


def python(generation: str, script: str) -> list:
    return [LAB / f"python-{generation}" / "bin" / "python", INTEROP / script]


def javascript(generation: str, script: str) -> list:
    # The flags keep the path through the lab's link, beside which the SDK is installed.
    return ["node", "--preserve-symlinks", "--preserve-symlinks-main", LAB / f"js-{generation}" / script]


AGENTS = {
    "Python 1.3.0": python("1.x", "agents/agent_v1.py"),
    "Python 0.3.26": python("0.3", "agents/agent_v03.py"),
    "JavaScript 1.3.0": javascript("1.x", "agents/agent_js1.mjs"),
    "JavaScript 0.3.14": javascript("0.3", "agents/agent_js03.mjs"),
}
CLIENTS = {
    "Python 1.3.0": python("1.x", "clients/client_v1.py"),
    "Python 0.3.26": python("0.3", "clients/client_v03.py"),
    "JavaScript 1.3.0": javascript("1.x", "clients/client_js1.mjs"),
}


class Pair(NamedTuple):
    """A client, an agent of its generation, and how many steps pass when they talk directly."""

    client: str
    agent: str
    baseline: int

    @property
    def slug(self) -> str:
        return f"{self.client} to {self.agent}".lower().replace(" ", "-")

    @property
    def public_key(self) -> pathlib.Path:
        return LOGS / f"{self.slug}.public-key.pem"

    @property
    def agent_arguments(self) -> list:
        return ["--sign", self.public_key] if self._agent_signs else []

    @property
    def client_arguments(self) -> list:
        return ["--public-key", self.public_key] if self._agent_signs and self.client.startswith("Python") else []

    @property
    def _agent_signs(self) -> bool:
        return self.agent == "Python 1.3.0"


# A signed card (Python 1.3.0 with an agent of its own) is one step more than an unsigned one. The JavaScript agent
# answers one malformed request with another code than the Python client expects.
PAIRS = [
    Pair("Python 1.3.0", "Python 1.3.0", baseline=39),
    Pair("Python 1.3.0", "JavaScript 1.3.0", baseline=37),
    Pair("JavaScript 1.3.0", "JavaScript 1.3.0", baseline=32),
    Pair("JavaScript 1.3.0", "Python 1.3.0", baseline=32),
    Pair("Python 0.3.26", "Python 0.3.26", baseline=29),
    Pair("Python 0.3.26", "JavaScript 0.3.14", baseline=30),
]


class Agent(Background):
    """A reference agent on ports of its own, with further arguments for its script."""

    def __init__(self, kind: str, slug: str, *arguments: object) -> None:
        port, grpc_port = free_ports(2)
        self.url = f"http://{HOST}:{port}"
        command = [*AGENTS[kind], "--port", port]
        if kind != "JavaScript 0.3.14":
            command += ["--grpc-port", grpc_port]
        super().__init__(f"agent {kind}", [*command, *arguments], LOGS / f"{slug}.agent.log", INTEROP)

    def wait_until_ready(self) -> None:
        self.wait_for(f"{self.url}/{CARD_PATH}")


def converse(client: str, base: str, *arguments: object) -> dict:
    """Runs a client against a base, with further arguments for its script, and returns its report."""
    command = [*CLIENTS[client], base, "--json", *arguments]
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=CLIENT_LIMIT_S,
        )
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        problem = f"no end after {CLIENT_LIMIT_S} s"
    except json.JSONDecodeError:
        problem = f"no report, exit code {done.returncode}: {done.stderr[-1000:]}"
    return {"steps": [{"step": "whole conversation", "status": "fail", "observed": None, "problem": problem}]}


def prepare() -> None:
    """Makes sure that the SDKs are there, and that what is started is ended, whatever ends this program."""
    if not (LAB / "js-0.3" / ".installed-from").exists():
        sys.exit("the official SDKs are not installed: run tests/interop/setup")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    LOGS.mkdir(parents=True, exist_ok=True)
