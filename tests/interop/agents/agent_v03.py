#!/usr/bin/env python3
"""Reference agent on the Python SDK 0.3: JSON-RPC, HTTP+JSON and gRPC at protocol 0.3.

What it does with a message is chosen by the first word of its text; the README lists the commands.
"""

import argparse
import asyncio
import base64
import contextlib
import time

import grpc
import httpx
import uvicorn
from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    DataPart,
    FilePart,
    FileWithBytes,
    Part,
    Task,
    TaskState,
    TaskStatus,
    TextPart,
)
from starlette.applications import Starlette
from starlette.routing import Mount

import commands

HOST = "127.0.0.1"
BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]


def text(content: str) -> list[Part]:
    return [Part(root=TextPart(text=content))]


def data(content: dict) -> list[Part]:
    return [Part(root=DataPart(data=content))]


def file(content: bytes) -> list[Part]:
    encoded = base64.b64encode(content).decode()
    with_bytes = FileWithBytes(bytes=encoded, name="bytes.bin", mime_type="application/octet-stream")
    return [Part(root=FilePart(file=with_bytes))]


class LabExecutor(AgentExecutor):
    """Plays the command in each message."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cancelled: set[str] = set()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        said = context.get_user_input().strip()
        command = commands.parse(said)
        if command.name == "message":
            await event_queue.enqueue_event(updater.new_agent_message(text(f"{self.name}: {command.argument}")))
            return
        if context.current_task is not None:
            await self.resume(updater, said)
            return
        await event_queue.enqueue_event(
            Task(
                id=context.task_id,
                context_id=context.context_id,
                history=[context.message],
                status=TaskStatus(state=TaskState.submitted),
            )
        )
        await self.begin(updater, context, command, said)

    async def begin(self, updater: TaskUpdater, context: RequestContext, command: commands.Command, said: str) -> None:
        """Plays the command that opens a task."""

        def say(content: str):
            return updater.new_agent_message(text(content))

        match command.name:
            case "stream":
                await self.stream(updater, command)
            case "slow":
                await self.slow(updater, command)
            case "ask":
                await updater.start_work()
                await updater.requires_input(say("What is your name?"), final=True)
            case "auth":
                await updater.requires_auth(say("please authenticate"), final=True)
            case "fail":
                await updater.failed(say("failed on request"))
            case "reject":
                await updater.reject(say("rejected on request"))
            case _:
                await updater.start_work()
                await updater.add_artifact(self.answer(context, command, said), name="answer", last_chunk=True)
                await updater.complete()

    def answer(self, context: RequestContext, command: commands.Command, said: str) -> list[Part]:
        """The parts of the one artifact of a task that completes at once."""
        match command.name:
            case "data":
                return data(commands.SAMPLE_DATA)
            case "file":
                return file(commands.SAMPLE_BYTES)
            case "big":
                (kilobytes,) = command.numbers(100)
                return text("x" * int(1024 * kilobytes))
            case "headers":
                call = context.call_context
                headers = dict(call.state.get("headers") or {})
                return data({"headers": headers, "extensions": sorted(call.requested_extensions)})
            case "echo":
                return text(f"echo: {command.argument}")
            case _:
                return text(f"echo: {said}")

    async def stream(self, updater: TaskUpdater, command: commands.Command) -> None:
        count, gap_ms = command.numbers(5, 100)
        await updater.start_work()
        for i in range(int(count)):
            await updater.add_artifact(
                text(f"chunk-{i};"), artifact_id="stream-1", name="stream", append=i > 0, last_chunk=i == count - 1
            )
            await asyncio.sleep(gap_ms / 1000)
        await updater.complete()

    async def slow(self, updater: TaskUpdater, command: commands.Command) -> None:
        (seconds,) = command.numbers(3)
        end = time.monotonic() + seconds
        await updater.start_work(updater.new_agent_message(text("working")))
        while (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(0.5, left))
            if updater.task_id in self.cancelled:
                return
            await updater.start_work(updater.new_agent_message(text("still working")))
        await updater.add_artifact(text("slow done"), name="result", last_chunk=True)
        await updater.complete()

    async def resume(self, updater: TaskUpdater, said: str) -> None:
        await updater.start_work()
        await updater.add_artifact(text(f"got: {said}"), name="answer", last_chunk=True)
        await updater.complete(updater.new_agent_message(text("thanks")))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.cancelled.add(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def make_card(options: argparse.Namespace) -> AgentCard:
    base = f"http://{HOST}:{options.port}"
    urls = {"JSONRPC": f"{base}/", "HTTP+JSON": f"{base}/rest", "GRPC": f"{HOST}:{options.grpc_port}"}
    return AgentCard(
        name=options.name,
        description="Reference agent on the Python SDK 0.3",
        version="1.0.0",
        protocol_version="0.3.0",
        url=urls[options.transports[0]],
        preferred_transport=options.transports[0],
        additional_interfaces=[AgentInterface(url=urls[binding], transport=binding) for binding in options.transports],
        provider=AgentProvider(organization="Interoperability lab", url="https://example.com"),
        capabilities=AgentCapabilities(
            streaming=True,
            push_notifications=True,
            extensions=[AgentExtension(uri="https://example.com/ext/lab/v1", description="lab extension")],
        ),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain", "application/json"],
        supports_authenticated_extended_card=True,
        skills=[
            AgentSkill(
                id="lab",
                name="Lab echo",
                description="echo, stream, slow, ask, data, file",
                tags=["lab", "test"],
                examples=["echo hi", "stream 5 100", "slow 3", "ask"],
            )
        ],
    )


def extended(card: AgentCard) -> AgentCard:
    """The card for those who ask with the extended card operation: one skill more."""
    skill = AgentSkill(id="extended", name="Extended skill", description="only here", tags=["extended"])
    return card.model_copy(update={"skills": [*card.skills, skill]})


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9103)
    parser.add_argument("--grpc-port", type=int, default=10103)
    parser.add_argument("--name", default="lab-v03")
    parser.add_argument("--transports", metavar="BINDING,…", type=lambda text: text.split(","), default=BINDINGS)
    return parser.parse_args()


async def main() -> None:
    options = parse_options()
    card = make_card(options)
    cards = {"agent_card": card, "extended_agent_card": extended(card)}

    push_configs = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=LabExecutor(options.name),
        task_store=InMemoryTaskStore(),
        push_config_store=push_configs,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(timeout=5), push_configs),
    )
    json_rpc = A2AStarletteApplication(http_handler=handler, **cards)
    rest = A2ARESTFastAPIApplication(http_handler=handler, **cards)
    app = Starlette(routes=[*json_rpc.routes(rpc_url="/"), Mount("/rest", app=rest.build())])
    rpc = grpc.aio.server()
    rpc.add_insecure_port(f"{HOST}:{options.grpc_port}")
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), rpc)
    await rpc.start()
    config = uvicorn.Config(
        app, host=HOST, port=options.port, log_level="warning", access_log=False, timeout_graceful_shutdown=2
    )
    await uvicorn.Server(config).serve()
    await rpc.stop(1)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
