"""Servers that speak OpenAI's HTTP interface, with the standard library alone.

    client = OpenAIClient("http://127.0.0.1:8000/v1")
    reply = await client.chat([{"role": "user", "content": "Hi"}], model="m", temperature=0)

One connection a call, one attempt a call, answers as JSON or as a stream of server-sent events.
Proxies and redirects are not followed: for those, pass an `openai.AsyncOpenAI` where a client is
asked for.
"""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import Any

from spatialjax.llm.client import (
    Message,
    ModelError,
    Reply,
    Usage,
    chat_reply,
    completion_reply,
    malformed,
    usage_of,
)
from spatialjax.llm.http_post import HTTPError, Response, post

_MAY_PASS = (408, 409, 425, 429)
"""Statuses below 500 after which the same request may succeed later."""


class OpenAIClient:
    """Calls `/chat/completions` and `/completions` of one server."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float = 600.0,
        stream: bool = False,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        """Set up a client; nothing is sent yet.

        Args:
          base_url: of the interface, usually ending in `/v1`.
          api_key: sent as bearer token, if given.
          timeout: seconds that one call may take in all.
          stream: whether to ask for the answer in pieces, which keeps slow calls from being cut by
            servers between.
          extra_body: fields added to every request, those of a call winning.

        Raises:
          ValueError: if an argument has a value that is not allowed.
        """
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url is {base_url!r}; it must begin with http:// or https://")
        if not timeout > 0:
            raise ValueError(f"timeout is {timeout!r}; it must be a number of seconds above 0")
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        self.stream = stream
        self.extra_body = dict(extra_body or {})
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"

    async def chat(self, messages: Sequence[Message], *, model: str, **sampling: Any) -> Reply:
        """Return the model's next message. Raises ModelError if none came."""
        return await self._ask("chat/completions", model, {"messages": list(messages), **sampling})

    async def complete(self, prompt: str, *, model: str, **sampling: Any) -> Reply:
        """Return how the model goes on with a text. Raises ModelError if it did not."""
        return await self._ask("completions", model, {"prompt": prompt, **sampling})

    async def _ask(self, path: str, model: str, fields: dict[str, Any]) -> Reply:
        body = {**self.extra_body, "model": model, **fields}
        if self.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        url = f"{self.base_url}/{path}"
        try:
            async with asyncio.timeout(self.timeout):
                async with post(url, self._headers, json.dumps(body).encode()) as response:
                    return await _read(response, is_chat=path.startswith("chat"))
        except TimeoutError:
            problem, can_retry = f"no answer within {self.timeout:g} s", True
        except ssl.SSLCertVerificationError as error:
            problem, can_retry = str(error), False
        except (OSError, HTTPError) as error:
            problem, can_retry = str(error) or type(error).__name__, True
        raise ModelError(f"{url}: {problem}", can_retry=can_retry)


async def _read(response: Response, is_chat: bool) -> Reply:
    if response.status != 200:
        raise _refusal(response, await response.read())
    reply_of = chat_reply if is_chat else completion_reply
    if "text/event-stream" in response.fields.get("content-type", ""):
        return await _read_stream(response, reply_of)
    return reply_of(_parse(await response.read()))


async def _read_stream(response: Response, reply_of: Callable[[Any], Reply]) -> Reply:
    """Put the pieces of an answer together; each is read as an answer of its own."""
    pieces: list[Reply] = []
    usage: Usage | None = None
    is_over = False
    async with aclosing(_events(response)) as events:
        async for event in events:
            if event == "[DONE]":
                is_over = True
                break
            body = _parse(event)
            if isinstance(body, Mapping) and body.get("choices") == []:  # the last one of a stream
                usage = usage_of(body) or usage
                continue
            pieces.append(reply_of(body))
            usage = pieces[-1].usage or usage
    reasons = [piece.finish_reason for piece in pieces if piece.finish_reason]
    if not is_over and not reasons:
        raise malformed("the stream broke off before the end of the answer")
    return Reply(
        text="".join(piece.text for piece in pieces),
        reasoning="".join(piece.reasoning for piece in pieces),
        finish_reason=reasons[-1] if reasons else None,
        usage=usage,
    )


async def _events(response: Response) -> AsyncGenerator[str]:
    """Yield the data of each server-sent event; those of these servers have one line each."""
    rest = b""
    async with aclosing(response.blocks()) as blocks:
        async for block in blocks:
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                if line.startswith(b"data:"):
                    yield line.removeprefix(b"data:").strip().decode(errors="replace")


def _parse(text: bytes | str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        start = text[:200]
        raise malformed(f"it is no JSON; it begins {start!r}") from None


def _refusal(response: Response, body: bytes) -> ModelError:
    status = response.status
    return ModelError(
        f"status {status}: {body[:300].decode(errors='replace').strip()}",
        can_retry=status in _MAY_PASS or status >= 500,
        status=status,
        retry_after=_seconds(response.fields.get("retry-after")),
    )


def _seconds(retry_after: str | None) -> float | None:
    """Read the header Retry-After, a number of seconds or a date; None if it is neither."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
