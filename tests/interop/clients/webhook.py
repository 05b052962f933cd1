"""A webhook on loopback that keeps what it is sent."""

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Delivery(NamedTuple):
    """One call of the webhook."""

    token: str | None
    body: dict

    @property
    def state(self) -> str:
        """The task state told, whether the body is a task or wraps one or a status update."""
        told = self.body.get("statusUpdate") or self.body.get("task") or self.body
        return told.get("status", {}).get("state", "")

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

    async def completion(self, limit_s: float = 8) -> bool:
        """Waits for the delivery that tells of the completed task."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            if any(delivery.is_completion for delivery in self.deliveries):
                return True
            await asyncio.sleep(0.1)
        return False
