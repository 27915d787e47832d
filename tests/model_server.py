"""A scripted server with OpenAI's HTTP interface on 127.0.0.1, with faults on demand.

    def answer(request):  # the request as parsed JSON
        return "left"

    with ModelServer(answer, at({0: Fault("status", status=429, retry_after=0.01)})) as server:
        client = OpenAIClient(server.base_url)

It answers `/chat/completions` and `/completions`, as JSON, or as a stream if the request says so.
It runs in threads of this process, and may be called from other processes.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Request = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one call.

    Attributes:
      kind: "status": an error status. "drop": the connection closes without an answer. "cut": it
        closes within the answer. "empty": an answer without content. "malformed": a body that is
        no JSON. "delay": the right answer, late.
      status: of "status".
      retry_after: its header Retry-After, if any.
      seconds: by which "delay" is late.
    """

    kind: Literal["status", "drop", "cut", "empty", "malformed", "delay"]
    status: int = 503
    retry_after: float | str | None = None
    seconds: float = 0.0


KINDS = (
    Fault("status", status=429, retry_after=0.01),
    Fault("status", status=500),
    Fault("status", status=503),
    Fault("drop"),
    Fault("cut"),
    Fault("empty"),
    Fault("malformed"),
    Fault("delay", seconds=0.02),
)
"""One fault of each kind, as quick as a test wants them."""

Schedule = Callable[[int, Request], Fault | None]
"""Says what goes wrong with a call, from its number (from 0, as they come in) and its request."""


def at(faults: Mapping[int, Fault]) -> Schedule:
    """Let the calls with these numbers fail."""
    return lambda number, request: faults.get(number)


def share(part: float, faults: tuple[Fault, ...] = KINDS, seed: int = 0) -> Schedule:
    """Let this part of all calls fail; which, and how, depends on the number and the seed alone."""

    def schedule(number: int, request: Request) -> Fault | None:
        rng = random.Random(f"{seed} {number}")
        return rng.choice(faults) if rng.random() < part else None

    return schedule


@dataclass
class ModelServer:
    """The server; a context manager that starts and stops it.

    Attributes:
      answer: returns the text that a request is answered with.
      faults: says what goes wrong.
      reasoning: sent beside every answer to a chat, if not "".
      requests: all requests, in the order in which they came in, with their `path` and
        `authorization` beside the fields of the body.
    """

    answer: Callable[[Request], str]
    faults: Schedule = field(default=lambda number, request: None)
    reasoning: str = ""
    requests: list[Request] = field(default_factory=list)

    def __enter__(self) -> "ModelServer":
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"script": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        poll = {"poll_interval": 0.01}
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs=poll)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        """Where the interface begins."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def note(self, request: Request) -> int:
        """Note a request; return its number."""
        with self._lock:
            self.requests.append(request)
            return len(self.requests) - 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that are killed or lose patience are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    script: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:  # noqa: N802 (the name is the standard library's)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        noted = {**body, "path": self.path, "authorization": self.headers["Authorization"]}
        number = self.script.note(noted)
        self.close_connection = True
        is_chat = self.path == "/v1/chat/completions"
        if not is_chat and self.path != "/v1/completions":
            self._send(404, {"error": {"message": f"no such path: {self.path}"}})
            return

        fault = self.script.faults(number, body)
        if fault is not None and self._fail(fault):
            return
        is_empty = fault is not None and fault.kind == "empty"
        is_cut = fault is not None and fault.kind == "cut"
        text = "" if is_empty else self.script.answer(body)
        if body.get("stream"):
            self._stream(body, text, is_chat, is_cut)
        else:
            self._send(200, self._whole(body, text, is_chat), is_cut=is_cut)

    def _fail(self, fault: Fault) -> bool:
        """Carry out a fault that takes the place of the answer; say whether it was one."""
        if fault.kind == "delay":
            time.sleep(fault.seconds)
        elif fault.kind == "status":
            headers = {}
            if fault.retry_after is not None:
                headers["Retry-After"] = str(fault.retry_after)
            self._send(fault.status, {"error": {"message": "a fault on demand"}}, headers)
        elif fault.kind == "malformed":
            self._send(200, b'{"choices": [{"mess')
        return fault.kind in ("status", "malformed", "drop")

    def _whole(self, body: Request, text: str, is_chat: bool) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        if is_chat:
            choice["message"] = {"role": "assistant", "content": text}
            if self.script.reasoning:
                choice["message"]["reasoning_content"] = self.script.reasoning
        else:
            choice["text"] = text
        return {**self._head(body, is_chat), "choices": [choice], "usage": usage(body, text)}

    def _stream(self, body: Request, text: str, is_chat: bool, is_cut: bool) -> None:
        """Send the answer character by character, as server-sent events in chunks."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        head = {**self._head(body, is_chat), "usage": None}
        if is_chat and self.script.reasoning:
            self._event({**head, "choices": [_delta(reasoning_content=self.script.reasoning)]})
        for letter in text:
            choice = _delta(content=letter) if is_chat else {"index": 0, "text": letter}
            self._event({**head, "choices": [choice]})
            if is_cut:
                return
        choice = _delta() if is_chat else {"index": 0, "text": ""}
        self._event({**head, "choices": [{**choice, "finish_reason": "stop"}]})
        if body.get("stream_options", {}).get("include_usage"):
            self._event({**head, "choices": [], "usage": usage(body, text)})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _head(self, body: Request, is_chat: bool) -> dict[str, Any]:
        kind = "chat.completion" if is_chat else "text_completion"
        if is_chat and body.get("stream"):
            kind += ".chunk"
        return {"id": "scripted", "object": kind, "created": 0, "model": body["model"]}

    def _event(self, value: dict[str, Any]) -> None:
        self._chunk(f"data: {json.dumps(value)}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _send(
        self,
        status: int,
        value: dict[str, Any] | bytes,
        headers: Mapping[str, str] | None = None,
        is_cut: bool = False,
    ) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if is_cut else data)


def usage(request: Request, text: str) -> dict[str, int]:
    """Return what the server counts as tokens: the words of all messages and of the answer."""
    said = [str(message["content"]) for message in request.get("messages", ())]
    read = sum(len(one.split()) for one in [*said, str(request.get("prompt", ""))])
    written = len(text.split())
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
    }


def _delta(**fields: str) -> dict[str, Any]:
    return {"index": 0, "delta": fields, "finish_reason": None}
