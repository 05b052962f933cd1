"""A gateway in front of one agent."""

import pathlib

from harness.background import HOST, Background, free_ports
from harness.lab import CARD_PATH, LOGS, Pair

AGENT_ID = "lab"

# Stock messages share no words with the agent's card, hence no floor for the fit.
CONFIG = """\
version: 1
listen: {listen}
admin: {{ listen: {admin} }}
store: sqlite://{folder}/gateway.db
agents:
  - {{ id: {id}, url: "{agent}" }}
routing: {{ profiles: {{ balanced: {{ min_fit: 0.0 }} }} }}
"""


class Gateway(Background):
    """The gateway of a pair: with a single agent behind it, the federated base can choose no other."""

    def __init__(self, pair: Pair, program: pathlib.Path, agent_url: str, folder: pathlib.Path) -> None:
        port, admin_port = free_ports(2)
        admin = f"{HOST}:{admin_port}"
        self.url = f"http://{HOST}:{port}"
        self.admin_url = f"http://{admin}"
        folder.mkdir()
        config = folder / "a2a-gateway.yaml"
        config.write_text(
            CONFIG.format(listen=f"{HOST}:{port}", admin=admin, folder=folder, id=AGENT_ID, agent=agent_url)
        )
        command = [program, "serve", "--config", config]
        super().__init__(f"gateway to {pair.agent}", command, LOGS / f"{pair.slug}.gateway.log", folder)

    def wait_until_ready(self) -> None:
        self.wait_for(f"{self.admin_url}/readyz")
        # A gateway is ready before an agent that is slow; the clients need the agent's card.
        self.wait_for(f"{self.url}/agents/{AGENT_ID}/{CARD_PATH}")

    def bases(self) -> list[tuple[str, str]]:
        """The bases under which a client can reach the agent, each with a name."""
        own = f"{self.url}/agents/{AGENT_ID}"
        return [("agents/lab/", f"{own}/"), ("agents/lab", own), ("federated", f"{self.url}/")]
