"""The Python SDK 1.x as the scripted conversation uses it."""

import uuid

import grpc
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)

from conversation import Conversation, need


def message(text: str, task_id: str = "", context_id: str = "") -> Message:
    return Message(
        message_id=str(uuid.uuid4()),
        role=Role.ROLE_USER,
        parts=[Part(text=text)],
        task_id=task_id,
        context_id=context_id,
    )


def joined(parts) -> str:
    return "".join(part.text for part in parts)


def artifact_text(task: Task) -> str:
    return "".join(joined(artifact.parts) for artifact in task.artifacts)


def state(task: Task) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower()


def kind(event: StreamResponse) -> str:
    return event.WhichOneof("payload")


def event_state(event: StreamResponse) -> str | None:
    """The task state that an event tells, if it tells one."""
    return state(getattr(event, kind(event))) if kind(event) in ("task", "status_update") else None


class Session(Conversation):
    """Calls of a client without and of one with streaming."""

    client: Client
    streaming_client: Client

    def open(self, card: AgentCard) -> None:
        self.client = self._client(card, streaming=False)
        self.streaming_client = self._client(card, streaming=True)

    def _client(self, card: AgentCard, streaming: bool) -> Client:
        config = ClientConfig(
            streaming=streaming,
            httpx_client=self.http,
            supported_protocol_bindings=[self.binding],
            grpc_channel_factory=lambda url: grpc.aio.insecure_channel(url.split("://")[-1]),
        )
        return ClientFactory(config).create(card)

    async def send(self, content: Message, immediate: bool = False, push=None, context=None) -> StreamResponse:
        """Sends a message without streaming and returns the last event."""
        configuration = SendMessageConfiguration(return_immediately=immediate, task_push_notification_config=push)
        request = SendMessageRequest(message=content, configuration=configuration)
        return [event async for event in self.client.send_message(request, context=context)][-1]

    async def task(self, content: Message, **options) -> Task:
        event = await self.send(content, **options)
        need(kind(event) == "task", f"expected a task, got {kind(event)}")
        return event.task

    def stream(self, text: str):
        return self.streaming_client.send_message(SendMessageRequest(message=message(text)))

    def subscribe(self, task_id: str):
        return self.streaming_client.subscribe(SubscribeToTaskRequest(id=task_id))

    async def get(self, task_id: str, **options) -> Task:
        return await self.client.get_task(GetTaskRequest(id=task_id, **options))

    async def cancelled(self, task_id: str) -> Task:
        return await self.client.cancel_task(CancelTaskRequest(id=task_id))
