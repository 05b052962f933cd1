"""A gateway in front of one agent."""

import json
import os
import pathlib
import sys
import urllib.request

from harness.background import HOST, Background, free_ports
from harness.lab import CARD_PATH, LOGS, ROOT

AGENT_ID = "lab"
FEDERATED = "federated"

# Stock messages share no words with the agent's card, hence no floor for the fit. The clients' webhooks are here.
CONFIG = """\
version: 1
listen: {listen}
admin: {{ listen: {admin} }}
store: sqlite://{folder}/gateway.db
push: {{ allow: [{host}/32] }}
agents:
  - {{ id: {id}, url: "{agent}" }}
routing: {{ profiles: {{ balanced: {{ min_fit: 0.0 }} }} }}
"""


def gateway_program() -> pathlib.Path:
    """The gateway named by A2A_GATEWAY_BIN, or else the debug build."""
    named = os.environ.get("A2A_GATEWAY_BIN")
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    program = pathlib.Path(named).resolve() if named else target / "debug" / "a2a-gateway"
    if not program.is_file():
        sys.exit(f"no gateway at {program}: build it with `cargo build`")
    return program


class Gateway(Background):
    """The gateway before an agent: with a single agent behind it, the federated base can choose no other."""

    def __init__(self, slug: str, program: pathlib.Path, agent_url: str, folder: pathlib.Path) -> None:
        port, admin_port = free_ports(2)
        admin = f"{HOST}:{admin_port}"
        self.url = f"http://{HOST}:{port}"
        self.admin_url = f"http://{admin}"
        folder.mkdir()
        config = folder / "a2a-gateway.yaml"
        addresses = {"host": HOST, "listen": f"{HOST}:{port}", "admin": admin, "agent": agent_url}
        config.write_text(CONFIG.format(folder=folder, id=AGENT_ID, **addresses))
        command = [program, "serve", "--config", config]
        super().__init__(f"gateway to {slug}", command, LOGS / f"{slug}.gateway.log", folder)

    def wait_until_ready(self) -> None:
        self.wait_for(f"{self.admin_url}/readyz")
        # A gateway is ready before an agent that is slow; the clients need the agent's card.
        self.wait_for(f"{self.url}/agents/{AGENT_ID}/{CARD_PATH}")

    def base_of(self, name: str) -> str:
        return dict(self.bases())[name]

    def bases(self) -> list[tuple[str, str]]:
        """The bases under which a client can reach the agent, each with a name."""
        own = f"{self.url}/agents/{AGENT_ID}"
        return [("agents/lab/", f"{own}/"), ("agents/lab", own), (FEDERATED, f"{self.url}/")]

    def reached(self) -> set[str]:
        """The versions and bindings at which messages reached the agent, by the records of the decisions."""
        with urllib.request.urlopen(f"{self.admin_url}/v1/decisions?limit=500") as answer:
            decisions = json.load(answer)["decisions"]
        interfaces = (candidate["interface"] for decision in decisions for candidate in decision["candidates"])
        return {"{version} {binding}".format(**interface) for interface in interfaces}
