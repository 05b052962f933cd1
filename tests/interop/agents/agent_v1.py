#!/usr/bin/env python3
"""Reference agent on the Python SDK 1.x: JSON-RPC, HTTP+JSON and gRPC at protocol 1.0, and at 0.3 unless --no-compat.

What it does with a message is chosen by the first word of its text; the README lists the commands.
"""

import argparse
import asyncio
import contextlib
import pathlib
import time

import grpc
import httpx
import uvicorn
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
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
    Part,
    Task,
    TaskState,
    TaskStatus,
    a2a_pb2_grpc,
)
from a2a.utils.signing import create_agent_card_signer
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value
from starlette.applications import Starlette

import commands

HOST = "127.0.0.1"
BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]


def text(content: str) -> list[Part]:
    return [Part(text=content, media_type="text/plain")]


def data(content: dict) -> list[Part]:
    return [Part(data=ParseDict(content, Value()), media_type="application/json")]


class LabExecutor(AgentExecutor):
    """Plays the command in each message."""

    def __init__(self, name: str) -> None:
        self.name = name

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
                status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
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
                await updater.requires_input(say("What is your name?"))
            case "auth":
                await updater.requires_auth(say("please authenticate"))
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
                return [Part(raw=commands.SAMPLE_BYTES, filename="bytes.bin", media_type="application/octet-stream")]
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
            await updater.start_work(updater.new_agent_message(text("still working")))
        await updater.add_artifact(text("slow done"), name="result", last_chunk=True)
        await updater.complete()

    async def resume(self, updater: TaskUpdater, said: str) -> None:
        await updater.start_work()
        await updater.add_artifact(text(f"got: {said}"), name="answer", last_chunk=True)
        await updater.complete(updater.new_agent_message(text("thanks")))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def make_card(options: argparse.Namespace) -> AgentCard:
    base = f"http://{HOST}:{options.port}"
    urls = {"JSONRPC": f"{base}/", "HTTP+JSON": f"{base}/rest", "GRPC": f"{HOST}:{options.grpc_port}"}
    versions = ["1.0"] if options.no_compat else ["1.0", "0.3"]
    return AgentCard(
        name=options.name,
        description="Reference agent on the Python SDK 1.x",
        version="1.0.0",
        provider=AgentProvider(organization="Interoperability lab", url="https://example.com"),
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
            for binding, url in urls.items()
            if binding in options.transports
            for version in versions
        ],
        capabilities=AgentCapabilities(
            streaming=True,
            push_notifications=True,
            extended_agent_card=True,
            extensions=[AgentExtension(uri="https://example.com/ext/lab/v1", description="lab extension")],
        ),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain", "application/json"],
        skills=[
            AgentSkill(
                id="lab",
                name="Lab echo",
                description="echo, stream, slow, ask, data, file",
                tags=["lab", "test"],
                examples=["echo hi", "stream 5 100", "slow 3", "ask"],
                input_modes=["text/plain"],
                output_modes=["text/plain", "application/json"],
            )
        ],
    )


def extended(card: AgentCard) -> AgentCard:
    """The card for those who ask with the extended card operation: one skill more."""
    more = AgentCard()
    more.CopyFrom(card)
    more.skills.append(AgentSkill(id="extended", name="Extended skill", description="only here", tags=["extended"]))
    return more


def signer(public_key_file: str):
    """Makes a key, writes its public half to the file and returns the function that signs a card with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    pathlib.Path(public_key_file).write_bytes(public)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return create_agent_card_signer(private.decode(), {"alg": "ES256", "typ": "JOSE", "kid": "lab-1"})


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9101)
    parser.add_argument("--grpc-port", type=int, default=10101)
    parser.add_argument("--name", default="lab-v1")
    parser.add_argument("--transports", metavar="BINDING,…", type=lambda text: text.split(","), default=BINDINGS)
    parser.add_argument("--no-compat", action="store_true", help="speak protocol 1.0 only")
    parser.add_argument("--sign", metavar="FILE", help="sign the card and write the public key to FILE")
    return parser.parse_args()


async def main() -> None:
    options = parse_options()
    compat = not options.no_compat
    card = make_card(options)
    extended_card = extended(card)
    if options.sign:
        sign = signer(options.sign)
        sign(card)
        sign(extended_card)

    push_configs = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=LabExecutor(options.name),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        extended_agent_card=extended_card,
        push_config_store=push_configs,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(timeout=5), push_configs),
    )
    app = Starlette(
        routes=[
            *create_jsonrpc_routes(handler, "/", enable_v0_3_compat=compat),
            *create_agent_card_routes(card),
            *create_rest_routes(handler, path_prefix="/rest", enable_v0_3_compat=compat),
        ]
    )
    rpc = grpc.aio.server()
    rpc.add_insecure_port(f"{HOST}:{options.grpc_port}")
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), rpc)
    if compat:
        a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), rpc)
    await rpc.start()
    config = uvicorn.Config(
        app, host=HOST, port=options.port, log_level="warning", access_log=False, timeout_graceful_shutdown=2
    )
    await uvicorn.Server(config).serve()
    await handler.aclose()
    await rpc.stop(1)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
