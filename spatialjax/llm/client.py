"""Asking a language model: what a client does, what it answers, and how a call fails.

`ChatClient` is all that the programs here need of a client. `openai_client.OpenAIClient` speaks it
to a server; a client that retries, counts or records is one that wraps another:

    class Retrying:
        def __init__(self, client): ...
        async def chat(self, messages, *, model, **sampling): ...  # client.chat until it answers

`as_client` takes a client of the `openai` package too. No client here retries by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Message = dict[str, Any]
"""One message of a conversation: `role` ("system", "user" or "assistant") and `content`."""


@dataclass(frozen=True)
class Usage:
    """Tokens that calls took.

    Attributes:
      prompt_tokens: tokens read.
      completion_tokens: tokens written, those of thinking among them.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Attributes:
      text: the answer; "" where the model gave none, which is no error here.
      reasoning: its thinking, where the server sends it apart from the answer.
      finish_reason: "stop", "length" or what else the server says; None if it says nothing.
      usage: tokens of the call; None if the server doesn't count them.
    """

    text: str
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None


class ModelError(Exception):
    """A call that brought no answer.

    Attributes:
      can_retry: whether the same call may well succeed later.
      status: HTTP status of the response; None if there was none, or if it was a success.
      retry_after: seconds that the server asks to wait; None if it doesn't say.
    """

    def __init__(
        self,
        message: str,
        *,
        can_retry: bool,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.can_retry = can_retry
        self.status = status
        self.retry_after = retry_after


class ChatClient(Protocol):
    """Asks a model; `sampling` are fields of the request, `temperature=0` and the like."""

    async def chat(self, messages: Sequence[Message], *, model: str, **sampling: Any) -> Reply:
        """Return the model's next message. Raises ModelError if none came."""
        ...

    async def complete(self, prompt: str, *, model: str, **sampling: Any) -> Reply:
        """Return how the model goes on with a text. Raises ModelError if it did not."""
        ...


def as_client(client: Any) -> ChatClient:
    """Return a client as it is, or an `openai.AsyncOpenAI` (or its like) as a `ChatClient`.

    Raises:
      TypeError: if it is neither.
    """
    chat = getattr(client, "chat", None)
    if callable(chat):
        return client
    if callable(getattr(getattr(chat, "completions", None), "create", None)):
        return _SDKClient(client)
    raise TypeError(
        f"client is a {type(client).__name__}; it must have `async chat(messages, *, model)` as a "
        "spatialjax.llm.OpenAIClient has, or `chat.completions.create` as an openai.AsyncOpenAI has"
    )


def chat_reply(body: Any) -> Reply:
    """Read the response to a chat call, or one event of its stream, as parsed JSON.

    Raises:
      ModelError: if it isn't one.
    """
    choice = _first_choice(body)
    message = choice.get("message", choice.get("delta"))
    if not isinstance(message, Mapping):
        raise malformed(f"choices[0].message is {_short(message)}; it must be an object")
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return Reply(
        text=_text("choices[0].message.content", message.get("content")),
        reasoning=_text("choices[0].message.reasoning", reasoning),
        finish_reason=choice.get("finish_reason"),
        usage=usage_of(body),
    )


def completion_reply(body: Any) -> Reply:
    """Read the response to a completion call, or one event of its stream, as parsed JSON.

    Raises:
      ModelError: if it isn't one.
    """
    choice = _first_choice(body)
    return Reply(
        text=_text("choices[0].text", choice.get("text")),
        finish_reason=choice.get("finish_reason"),
        usage=usage_of(body),
    )


def usage_of(body: Mapping[str, Any]) -> Usage | None:
    """Read the tokens that a response counts; None if it counts none."""
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return None
    return Usage(usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0)


def malformed(reason: str) -> ModelError:
    """Return the error for a response that is not what the interface says."""
    return ModelError(f"malformed response: {reason}", can_retry=True)


def _first_choice(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise malformed(f"the body is {_short(body)}; it must be an object")
    if body.get("error"):  # some servers send their errors with status 200
        raise malformed(f"it holds the error {_short(body['error'])}")
    choices = body.get("choices")
    if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
        raise malformed(f"choices is {_short(choices)}; it must be a list of objects, not empty")
    return choices[0]


def _text(field: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise malformed(f"{field} is {_short(value)}; it must be text")
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "..."


class _SDKClient:
    """The `openai` package's asynchronous client; its errors pass as they are."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def chat(self, messages: Sequence[Message], *, model: str, **sampling: Any) -> Reply:
        create = self._client.chat.completions.create
        return chat_reply(_plain(await create(model=model, messages=list(messages), **sampling)))

    async def complete(self, prompt: str, *, model: str, **sampling: Any) -> Reply:
        create = self._client.completions.create
        return completion_reply(_plain(await create(model=model, prompt=prompt, **sampling)))


def _plain(value: Any) -> Any:
    """Return an object of the `openai` package, or one built like it, as parsed JSON."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dict__"):
        return {name: _plain(item) for name, item in vars(value).items()}
    return value
