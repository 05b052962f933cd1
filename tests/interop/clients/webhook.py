"""A webhook on loopback that keeps what it is sent."""

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from conversation import need


WRAPPERS = ("task", "message", "statusUpdate", "artifactUpdate")


class Delivery(NamedTuple):
    """One call of the webhook."""

    token: str | None
    body: dict

    @property
    def is_wrapped(self) -> bool:
        """Whether the body says what it holds by a member around it, as in 1.0, and not by a `kind` within."""
        return any(member in self.body for member in WRAPPERS)

    @property
    def told(self) -> dict:
        """The task or update told, without what may be around it."""
        return next((self.body[member] for member in WRAPPERS if member in self.body), self.body)

    @property
    def task_id(self) -> str | None:
        return self.told.get("taskId") or self.told.get("id")

    @property
    def state(self) -> str:
        """The task state told, empty for an artifact."""
        return self.told.get("status", {}).get("state", "")

    @property
    def is_completion(self) -> bool:
        return "complet" in self.state.lower()


class Webhook:
    """Use as a context manager; listens while inside."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                webhook.deliveries.append(Delivery(self.headers["x-a2a-notification-token"], body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_arguments) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def __enter__(self) -> "Webhook":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error) -> None:
        self.server.shutdown()
        self.server.server_close()

    async def completion(self, task_id: str, limit_s: float = 8) -> list:
        """Waits for the delivery that tells of the completed task, and returns what all had in common."""
        end = time.monotonic() + limit_s
        while not any(delivery.is_completion for delivery in self.deliveries):
            told = [delivery.state for delivery in self.deliveries]
            need(time.monotonic() < end, f"never told of the end: {told}")
            await asyncio.sleep(0.1)
        strays = {delivery.task_id for delivery in self.deliveries} - {task_id}
        need(not strays, f"told of {strays}, not of {task_id}")
        return sorted({(delivery.token, delivery.is_wrapped) for delivery in self.deliveries})
