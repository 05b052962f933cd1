#!/usr/bin/env python3
"""Scripted conversation of the official Python client 0.3 with a reference agent, directly or through a gateway."""

import asyncio
import base64
import time
import uuid
from importlib.metadata import version

import grpc
import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.grpc import a2a_pb2
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    MessageSendConfiguration,
    Part,
    PushNotificationConfig,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)

from conversation import Conversation, argument_parser, away_from, chunks, main, need, request, step
from webhook import Webhook

SAMPLE_DATA = {"key": "value", "count": 42, "nested": {"a": [1, 2.5, None, True, "\u00e9"]}}

# How each binding tells the error; over JSON-RPC it is the code.
NOT_FOUND = ("-32001", "404", "NOT_FOUND")
NOT_CANCELABLE = ("-32002", "400", "409", "FAILED_PRECONDITION", "UNIMPLEMENTED")
BAD_PARAMS = ("-32602", "400", "INVALID_ARGUMENT")


def message(text: str, task_id: str | None = None, context_id: str | None = None) -> Message:
    return Message(
        message_id=str(uuid.uuid4()),
        role=Role.user,
        parts=[Part(root=TextPart(text=text))],
        task_id=task_id,
        context_id=context_id,
    )


def joined(parts) -> str:
    return "".join(part.root.text for part in parts)


def artifact_text(task: Task) -> str:
    return "".join(joined(artifact.parts) for artifact in task.artifacts or [])


def state(task: Task) -> str:
    return task.status.state.value


class PythonV03(Conversation):
    client_name = f"Python {version('a2a-sdk')}"

    def describe_error(self, error: Exception) -> str:
        code = getattr(getattr(error, "error", None), "code", None) or getattr(error, "status_code", None)
        return f"{type(error).__name__} {code}" if code else f"{type(error).__name__} {str(error)[:80]}"

    def open(self, **options) -> Client:
        config = ClientConfig(
            httpx_client=self.http,
            supported_transports=[self.binding],
            grpc_channel_factory=lambda url: grpc.aio.insecure_channel(url.split("://")[-1]),
            **options,
        )
        return ClientFactory(config).create(self.card)

    async def send(self, content: Message, immediate: bool = False):
        """Sends a message without streaming and returns the last event: a message, or a task with its update."""
        configuration = MessageSendConfiguration(blocking=False) if immediate else None
        return [event async for event in self.client.send_message(content, configuration=configuration)][-1]

    async def task(self, content: Message, immediate: bool = False) -> Task:
        event = await self.send(content, immediate)
        need(isinstance(event, tuple), f"expected a task, got {type(event).__name__}")
        return event[0]

    async def get(self, task_id: str) -> Task:
        return await self.client.get_task(TaskQueryParams(id=task_id))

    async def cancelled(self, task_id: str) -> Task:
        return await self.client.cancel_task(TaskIdParams(id=task_id))

    async def subscribe(self, task_id: str) -> list:
        # The transport's own events: the client's folds them into a task that 0.3 agents need not send first.
        events = self.streaming_client._transport.resubscribe(TaskIdParams(id=task_id))
        return [event async for event in events]

    # Finding the agent

    @step
    async def card_resolve(self):
        self.http = httpx.AsyncClient(timeout=30)
        self.card = await A2ACardResolver(self.http, self.base).get_agent_card(self.options.card_path)
        self.note(url=self.card.url, protocol=self.card.protocol_version)
        return self.card.preferred_transport

    @step
    async def card_urls_on_base(self):
        urls = [self.card.url, *(interface.url for interface in self.card.additional_interfaces or [])]
        strays = away_from(self.base, urls)
        need(not strays, f"interfaces that lead away from {self.base}: {strays}")

    @step
    async def connect(self):
        self.client = self.open(streaming=False)
        self.streaming_client = self.open(streaming=True)
        self.url = getattr(self.client._transport, "url", self.card.url)

    # Sending

    @step
    async def send_blocking(self):
        self.done = await self.task(message("echo hello"))
        need(artifact_text(self.done) == "echo: hello", f"artifact {artifact_text(self.done)!r}")
        return state(self.done)

    @step
    async def send_message_reply(self):
        event = await self.send(message("message hi there"))
        need(isinstance(event, Message), f"expected a message, got {type(event).__name__}")
        return joined(event.parts).partition(": ")[2]

    @step
    async def send_stream(self):
        count, gap_ms = 8, 150
        kinds, updates, times = [], [], []
        async for task, update in self.streaming_client.send_message(message(f"stream {count} {gap_ms}")):
            kinds.append(update.kind if update else task.kind)
            if isinstance(update, TaskArtifactUpdateEvent):
                # Taken now: the SDK appends later chunks to the artifact of the first event.
                updates.append((joined(update.artifact.parts), update.append, update.last_chunk))
                times.append(time.perf_counter())
        texts, appends, lasts = zip(*updates)
        need("".join(texts) == chunks(count), f"chunks out of order or lost: {texts}")
        need(list(map(bool, appends)) == [False] + [True] * (count - 1), "append flags")
        need(list(map(bool, lasts)) == [False] * (count - 1) + [True], "last chunk flags")
        need(kinds[-1] == "status-update" and update.final and state(update) == "completed", f"last event {update}")
        spread_ms = (times[-1] - times[0]) * 1000
        self.note(spread_ms=round(spread_ms))
        sent_over_ms = gap_ms * (count - 1)
        need(spread_ms > 0.3 * sent_over_ms, f"buffered: {spread_ms:.0f} ms for what was sent over {sent_over_ms} ms")
        self.streamed_id = task.id
        return kinds

    # Looking after tasks

    @step
    async def get_task(self):
        task = await self.get(self.streamed_id)
        need(artifact_text(task) == chunks(8), f"stored artifact {artifact_text(task)!r}")
        return [state(task), len(task.history), len(task.artifacts)]

    @step
    async def poll_long_task(self):
        task = await self.task(message("slow 1.2"), immediate=True)
        need(state(task) in ("submitted", "working"), f"returned {state(task)}: not at once")
        end = time.monotonic() + 12
        while state(task) != "completed" and time.monotonic() < end:
            await asyncio.sleep(0.15)
            task = await self.get(task.id)
        need(artifact_text(task) == "slow done", f"artifact {artifact_text(task)!r}")
        return state(task)

    @step
    async def cancel(self):
        task = await self.task(message("slow 20"), immediate=True)
        await asyncio.sleep(0.3)
        answer = await self.cancelled(task.id)
        return [state(answer), state(await self.get(task.id))]

    @step
    async def cancel_terminal_error(self):
        return await self.refused(self.cancelled(self.done.id), *NOT_CANCELABLE)

    @step
    async def resubscribe(self):
        task = await self.task(message("slow 1.5"), immediate=True)
        events = await self.subscribe(task.id)
        self.note(events=len(events), first=events[0].kind)
        return [events[-1].kind, state(events[-1])]

    @step
    async def subscribe_terminal(self):
        """0.3 leaves open what happens; a gateway must not change it."""
        try:
            return f"{len(await self.subscribe(self.done.id))} events"
        except Exception as error:  # noqa: BLE001 - any error of the SDK is an answer here
            return self.describe_error(error)

    @step
    async def input_required(self):
        asked = await self.task(message("ask"))
        answered = await self.task(message("Ada", asked.id, asked.context_id))
        need((answered.id, answered.context_id) == (asked.id, asked.context_id), "another task or context id")
        need(artifact_text(answered) == "got: Ada", f"artifact {artifact_text(answered)!r}")
        return [state(asked), state(answered)]

    # Push notifications and the extended card

    # The SDK has no methods for these two: by its stub over gRPC, by hand over HTTP.

    async def push_config_ids(self, task_id: str) -> list[str]:
        """Lists the ids of a task's push configurations."""
        match self.binding:
            case "JSONRPC":
                answer = await self.post(request("tasks/pushNotificationConfig/list", {"id": task_id}))
                return [config["pushNotificationConfig"]["id"] for config in answer["result"]]
            case "HTTP+JSON":
                answer = await self.http.get(f"{self.url}/v1/tasks/{task_id}/pushNotificationConfigs")
                names = [config["name"] for config in answer.raise_for_status().json().get("configs", [])]
            case _:
                parent = a2a_pb2.ListTaskPushNotificationConfigRequest(parent=f"tasks/{task_id}")
                answer = await self.client._transport.stub.ListTaskPushNotificationConfig(parent)
                names = [config.name for config in answer.configs]
        return [name.removeprefix(f"tasks/{task_id}/pushNotificationConfigs/") for name in names]

    async def delete_push_config(self, task_id: str, config_id: str) -> None:
        name = f"tasks/{task_id}/pushNotificationConfigs/{config_id}"
        match self.binding:
            case "JSONRPC":
                params = {"id": task_id, "pushNotificationConfigId": config_id}
                answer = await self.post(request("tasks/pushNotificationConfig/delete", params))
                need("error" not in answer, f"delete: {answer}")
            case "HTTP+JSON":
                (await self.http.delete(f"{self.url}/v1/{name}")).raise_for_status()
            case _:
                named = a2a_pb2.DeleteTaskPushNotificationConfigRequest(name=name)
                await self.client._transport.stub.DeleteTaskPushNotificationConfig(named)

    @step
    async def push_crud(self):
        task = await self.task(message("slow 6"), immediate=True)
        config = PushNotificationConfig(id="config-1", url="http://127.0.0.1:9/none", token="token")
        wanted = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
        created = await self.client.set_task_callback(wanted)
        need(created.push_notification_config.url == config.url, f"created {created}")
        this = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id=config.id)
        got = await self.client.get_task_callback(this)
        need(got.push_notification_config.url == config.url, f"got {got}")
        listed = await self.push_config_ids(task.id)
        need(listed == [config.id], f"listed {listed}")
        await self.delete_push_config(task.id, config.id)
        need(not await self.push_config_ids(task.id), "still listed after it was deleted")
        await self.cancelled(task.id)

    @step
    async def push_delivery(self):
        with Webhook() as webhook:
            # For the whole client: given with one call, the SDK makes it a dict that REST and gRPC cannot send.
            config = PushNotificationConfig(id="config-2", url=webhook.url, token="secret")
            client = self.open(streaming=False, polling=True, push_notification_configs=[config])
            events = [event async for event in client.send_message(message("slow 1"))]
            task, _ = events[-1]
            return await webhook.completion(task.id)

    @step
    async def extended_card(self):
        card = await self.client.get_card()
        need(any(skill.id == "extended" for skill in card.skills), f"skills {[skill.id for skill in card.skills]}")

    # Errors

    @step
    async def unknown_task_error(self):
        return await self.refused(self.get(str(uuid.uuid4())), *NOT_FOUND)

    @step
    async def cancel_unknown_error(self):
        return await self.refused(self.cancelled(str(uuid.uuid4())), *NOT_FOUND)

    @step
    async def send_to_unknown_task_error(self):
        return await self.refused(self.task(message("echo x", task_id=str(uuid.uuid4()))), *NOT_FOUND)

    @step
    async def send_to_terminal_error(self):
        return await self.refused(self.task(message("echo again", self.done.id, self.done.context_id)))

    @step
    async def bad_params_error(self):
        nothing = Message(message_id="", role=Role.user, parts=[])
        return await self.refused(self.send(nothing), *BAD_PARAMS)

    # Payloads and outcomes

    @step
    async def data_and_file(self):
        data = (await self.task(message("data"))).artifacts[0].parts[0].root.data
        need(data == SAMPLE_DATA, f"data {data}")
        file = (await self.task(message("file"))).artifacts[0].parts[0].root.file
        need(base64.b64decode(file.bytes) == bytes(range(256)), f"file {file.bytes}")
        return [file.name, file.mime_type]

    @step
    async def big_2mb(self):
        size = len(artifact_text(await self.task(message("big 2048"))))
        need(size == 2048 * 1024, f"{size} characters")

    @step
    async def failed_task(self):
        return [state(await self.task(message(text))) for text in ("fail", "reject")]

    @step
    async def auth_required(self):
        return state(await self.task(message("auth")))

    # Many at once

    @step
    async def concurrency_20(self):
        texts = [f"echo n{i}" for i in range(20)]
        tasks = await asyncio.gather(*(self.task(message(text)) for text in texts))
        need([artifact_text(task) for task in tasks] == [f"echo: n{i}" for i in range(20)], "answers mixed up")

    @step
    async def parallel_streams_5(self):
        async def text() -> str:
            got = ""
            async for _, update in self.streaming_client.send_message(message("stream 6 40")):
                if isinstance(update, TaskArtifactUpdateEvent):
                    got += joined(update.artifact.parts)
            return got

        texts = await asyncio.gather(*(text() for _ in range(5)))
        need(texts == [chunks(6)] * 5, f"{texts}")

    # What no SDK would send: written by hand

    @step
    async def raw_parse_error(self):
        return await self.error_code(-32700, "{not json")

    @step
    async def raw_unknown_method(self):
        return await self.error_code(-32601, request("no/such", {}))

    @step
    async def raw_bad_params(self):
        return await self.error_code(-32602, request("message/send", {"message": {"role": 5}}))


if __name__ == "__main__":
    main(PythonV03(argument_parser(__doc__).parse_args()))
