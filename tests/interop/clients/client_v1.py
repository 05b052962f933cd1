#!/usr/bin/env python3
"""Scripted conversation of the official Python client 1.x with a reference agent, directly or through a gateway."""

import asyncio
import pathlib
import time
import uuid
from importlib.metadata import version

import httpx
from a2a.client import A2ACardResolver, ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import (
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Role,
    TaskPushNotificationConfig,
)
from a2a.utils.signing import create_signature_verifier
from google.protobuf.json_format import MessageToDict

from conversation import Skip, argument_parser, away_from, chunks, main, need, request, step
from sdk_v1 import Session, artifact_text, event_state, joined, kind, message, state
from webhook import Webhook

EXTENSION = "https://example.com/ext/lab/v1"
SAMPLE_DATA = {"key": "value", "count": 42.0, "nested": {"a": [1.0, 2.5, None, True, "\u00e9"]}}


class PythonV1(Session):
    client_name = f"Python {version('a2a-sdk')}"

    @property
    def speaks_v1(self) -> bool:
        return self.options.protocol == "1.0"

    # Finding the agent

    @step
    async def card_resolve(self):
        self.http = httpx.AsyncClient(timeout=30)
        self.card = await A2ACardResolver(self.http, self.base).get_agent_card(self.options.card_path)
        self.note(
            interfaces=[f"{i.protocol_binding} {i.protocol_version} {i.url}" for i in self.card.supported_interfaces]
        )

    @step
    async def card_urls_on_base(self):
        strays = away_from(self.base, [i.url for i in self.card.supported_interfaces])
        need(not strays, f"interfaces that lead away from {self.base}: {strays}")

    @step
    async def card_signature(self):
        if not self.options.public_key:
            raise Skip("no --public-key")
        key = pathlib.Path(self.options.public_key).read_text()
        create_signature_verifier(lambda _kid, _jku: key, ["ES256"])(self.card)

    @step
    async def connect(self):
        usable = [
            interface
            for interface in self.card.supported_interfaces
            if interface.protocol_binding == self.binding
            and interface.protocol_version.startswith(self.options.protocol)
        ]
        need(usable, f"the card has no {self.binding} interface at {self.options.protocol}")
        del self.card.supported_interfaces[:]
        self.card.supported_interfaces.extend(usable)
        self.url = usable[0].url
        self.open(self.card)

    # Sending

    @step
    async def send_blocking(self):
        self.done = await self.task(message("echo hello"))
        need(self.done.id and self.done.context_id, "the task has no ids")
        need(artifact_text(self.done) == "echo: hello", f"artifact {artifact_text(self.done)!r}")
        return state(self.done)

    @step
    async def send_message_reply(self):
        event = await self.send(message("message hi there"))
        need(kind(event) == "message", f"expected a message, got {kind(event)}")
        need(event.message.role == Role.ROLE_AGENT, f"role {event.message.role}")
        return joined(event.message.parts).partition(": ")[2]

    @step
    async def send_stream(self):
        count, gap_ms = 8, 150
        events, times = [], []
        async for event in self.stream(f"stream {count} {gap_ms}"):
            events.append(event)
            if kind(event) == "artifact_update":
                times.append(time.perf_counter())
        updates = [event.artifact_update for event in events if kind(event) == "artifact_update"]
        text = "".join(joined(update.artifact.parts) for update in updates)
        need(text == chunks(count), f"chunks out of order or lost: {text!r}")
        need([update.append for update in updates] == [False] + [True] * (count - 1), "append flags")
        need([update.last_chunk for update in updates] == [False] * (count - 1) + [True], "last chunk flags")
        need(len({update.artifact.artifact_id for update in updates}) == 1, "the artifact id changed")
        need(event_state(events[-1]) == "completed", f"last event {events[-1]}")
        spread_ms = (times[-1] - times[0]) * 1000
        self.note(spread_ms=round(spread_ms))
        sent_over_ms = gap_ms * (count - 1)
        need(spread_ms > 0.3 * sent_over_ms, f"buffered: {spread_ms:.0f} ms for what was sent over {sent_over_ms} ms")
        self.streamed_id = updates[0].task_id
        return [kind(event) for event in events]

    # Looking after tasks

    @step
    async def get_task(self):
        task = await self.get(self.streamed_id)
        need(artifact_text(task) == chunks(8), f"stored artifact {artifact_text(task)!r}")
        return [state(task), len(task.history), len(task.artifacts)]

    @step
    async def get_history_length(self):
        task = await self.get(self.done.id, history_length=0)
        need(not task.history, f"history length 0 gave {len(task.history)}")

    @step
    async def list_tasks(self):
        if not self.speaks_v1:
            raise Skip("0.3 has no such operation over JSON-RPC")
        of_context = await self.client.list_tasks(ListTasksRequest(context_id=self.done.context_id))
        need([task.id for task in of_context.tasks] == [self.done.id], f"the context filter gave {of_context.tasks}")
        first = await self.client.list_tasks(ListTasksRequest(page_size=1))
        need(len(first.tasks) == 1 and first.next_page_token, "page size 1 gave no first page of one")
        second = await self.client.list_tasks(ListTasksRequest(page_size=1, page_token=first.next_page_token))
        need(len(second.tasks) == 1 and second.tasks[0].id != first.tasks[0].id, "the second page repeats the first")

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
        return await self.refused(self.cancelled(self.done.id), "TaskNotCancelable")

    @step
    async def resubscribe(self):
        task = await self.task(message("slow 1.5"), immediate=True)
        events = [event async for event in self.subscribe(task.id)]
        self.note(events=len(events))
        states = [told for event in events if (told := event_state(event)) is not None]
        need(states and states[-1] == "completed", f"ended with {states[-1:]}")
        return [kind(events[0]), kind(events[-1])]

    @step
    async def resubscribe_after_drop(self):
        first = self.stream("stream 15 100")
        seen = 0
        async for event in first:
            if kind(event) == "artifact_update":
                task_id, seen = event.artifact_update.task_id, seen + 1
                if seen == 3:
                    break
        await first.aclose()
        await asyncio.sleep(0.25)
        told = snapshot = live = None
        async for event in self.subscribe(task_id):
            told = event_state(event) or told
            if kind(event) == "task":
                snapshot, live = artifact_text(event.task), ""
            elif kind(event) == "artifact_update":
                live = (live or "") + joined(event.artifact_update.artifact.parts)
        need(told == "completed", f"ended with {told}")
        stored = artifact_text(await self.get(task_id))
        need(stored == chunks(15), f"stored artifact {stored!r}")
        self.note(gapless=(snapshot or "") + (live or "") == stored)

    @step
    async def subscribe_terminal_error(self):
        async def collect():
            return [event async for event in self.subscribe(self.done.id)]

        return await self.refused(collect(), *(["UnsupportedOperation"] if self.speaks_v1 else []))

    @step
    async def input_required(self):
        asked = await self.task(message("ask"))
        answered = await self.task(message("Ada", asked.id, asked.context_id))
        need(answered.id == asked.id, "another task id")
        need(answered.context_id == asked.context_id, "another context id")
        need(artifact_text(answered) == "got: Ada", f"artifact {artifact_text(answered)!r}")
        return [state(asked), state(answered)]

    @step
    async def context_continuity(self):
        context_id = str(uuid.uuid4())
        task = await self.task(message("echo one", context_id=context_id))
        need(task.context_id == context_id, f"sent context {context_id}, got {task.context_id}")

    # Push notifications and the extended card

    @step
    async def push_crud(self):
        task = await self.task(message("slow 6"), immediate=True)
        config = TaskPushNotificationConfig(
            task_id=task.id, id="config-1", url="http://127.0.0.1:9/none", token="token"
        )
        created = await self.client.create_task_push_notification_config(config)
        need(created.url == config.url, f"created {created}")
        this = {"task_id": task.id, "id": config.id}
        got = await self.client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**this))
        need((got.id, got.url) == (config.id, config.url), f"got {got}")
        listing = ListTaskPushNotificationConfigsRequest(task_id=task.id)
        listed = await self.client.list_task_push_notification_configs(listing)
        need([each.id for each in listed.configs] == [config.id], f"listed {listed}")
        await self.client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(**this))
        listed = await self.client.list_task_push_notification_configs(listing)
        need(not listed.configs, "still listed after it was deleted")
        await self.cancelled(task.id)

    @step
    async def push_delivery(self):
        with Webhook() as webhook:
            push = TaskPushNotificationConfig(id="config-2", url=webhook.url, token="secret")
            task = await self.task(message("slow 1"), immediate=True, push=push)
            return await webhook.completion(task.id)

    @step
    async def extended_card(self):
        card = await self.client.get_extended_agent_card(GetExtendedAgentCardRequest())
        need(any(skill.id == "extended" for skill in card.skills), f"skills {[skill.id for skill in card.skills]}")

    # Errors

    @step
    async def unknown_task_error(self):
        return await self.refused(self.get(str(uuid.uuid4())), "TaskNotFound")

    @step
    async def cancel_unknown_error(self):
        return await self.refused(self.cancelled(str(uuid.uuid4())), "TaskNotFound")

    @step
    async def send_to_unknown_task_error(self):
        return await self.refused(self.task(message("echo x", task_id=str(uuid.uuid4()))), "TaskNotFound")

    @step
    async def send_to_terminal_error(self):
        again = message("echo again", self.done.id, self.done.context_id)
        return await self.refused(self.task(again), "UnsupportedOperation", "InvalidParams", "InvalidRequest")

    @step
    async def bad_params_error(self):
        return await self.refused(self.send(Message(role=Role.ROLE_USER)), "InvalidParams", "InvalidRequest")

    # Payloads and outcomes

    @step
    async def data_and_file(self):
        data = (await self.task(message("data"))).artifacts[0].parts[0]
        need(MessageToDict(data.data) == SAMPLE_DATA, f"data {data}")
        file = (await self.task(message("file"))).artifacts[0].parts[0]
        need(file.raw == bytes(range(256)), f"file of {len(file.raw)} bytes")
        return [data.media_type, file.filename, file.media_type]

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

    # Many at once, and what travels along

    @step
    async def concurrency_20(self):
        texts = [f"echo n{i}" for i in range(20)]
        tasks = await asyncio.gather(*(self.task(message(text)) for text in texts))
        need([artifact_text(task) for task in tasks] == [f"echo: n{i}" for i in range(20)], "answers mixed up")

    @step
    async def parallel_streams_5(self):
        async def text() -> str:
            updates = [
                event.artifact_update async for event in self.stream("stream 6 40") if kind(event) == "artifact_update"
            ]
            return "".join(joined(update.artifact.parts) for update in updates)

        texts = await asyncio.gather(*(text() for _ in range(5)))
        need(texts == [chunks(6)] * 5, f"{texts}")

    @step
    async def headers_forwarded(self):
        parameters = ServiceParametersFactory.create([with_a2a_extensions([EXTENSION])])
        context = ClientCallContext(service_parameters={**parameters, "x-lab-probe": "42"})
        task = await self.task(message("headers"), context=context)
        reached = MessageToDict(task.artifacts[0].parts[0].data)
        self.note(probe_reached_agent="x-lab-probe" in reached["headers"])
        need(EXTENSION in reached["extensions"], f"the extension did not reach the agent: {reached}")

    # What no SDK would send: written by hand

    @property
    def version_header(self) -> dict:
        # The SDK has set 1.0 for all that its HTTP client sends.
        return {"A2A-Version": self.options.protocol}

    @step
    async def raw_parse_error(self):
        return await self.error_code(-32700, "{not json", **self.version_header)

    @step
    async def raw_unknown_method(self):
        return await self.error_code(-32601, request("NoSuch", {}), **self.version_header)

    @step
    async def raw_invalid_request(self):
        return await self.error_code(
            -32600, {"id": 1, "method": "GetTask", "params": {"id": "x"}}, **self.version_header
        )

    @step
    async def raw_bad_params(self):
        method = "SendMessage" if self.speaks_v1 else "message/send"
        return await self.error_code(-32602, request(method, {"message": {"role": 5}}), **self.version_header)

    @step
    async def raw_version_99(self):
        if not self.speaks_v1:
            raise Skip("0.3 has no version header")
        return await self.error_code(-32009, request("GetTask", {"id": "x"}), **{"A2A-Version": "99.0"})

    @step
    async def raw_id_echo(self):
        method = "GetTask" if self.speaks_v1 else "tasks/get"
        echoed = []
        for given in ("text", 7, 0):
            body = {**request(method, {"id": self.done.id}), "id": given}
            answer = await self.post(body, **self.version_header)
            need("result" in answer, f"no result: {str(answer)[:200]}")
            need(
                answer["id"] == given and type(answer["id"]) is type(given), f"{given!r} came back as {answer['id']!r}"
            )
            echoed.append(answer["id"])
        return echoed


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--protocol", default="1.0", choices=["1.0", "0.3"], help="which of the card's interfaces to use"
    )
    parser.add_argument("--public-key", metavar="FILE", help="verify the card's signature with it")
    main(PythonV1(parser.parse_args()))
