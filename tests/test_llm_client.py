"""The client for OpenAI-compatible servers, against the scripted server and bare sockets."""

import asyncio
import json
import time
from email.utils import formatdate
from types import SimpleNamespace

import pytest
from model_server import Fault, ModelServer, at, share

from spatialjax.llm import ModelError, OpenAIClient, Reply
from spatialjax.llm.client import Usage, as_client

HELLO = [{"role": "user", "content": "Say it again"}]
ANSWER = 'Grüße: "left"\n—right'


def answer(request):
    return ANSWER


def chat(server, **options):
    client = OpenAIClient(server.base_url, **options)
    return asyncio.run(client.chat(HELLO, model="m", temperature=0))


def refused(server, **options):
    """The error of a call."""
    with pytest.raises(ModelError) as caught:
        chat(server, **options)
    return caught.value


@pytest.mark.parametrize("stream", [False, True])
def test_a_chat(stream):
    with ModelServer(answer, reasoning="Hm,\n\nwell") as server:
        reply = chat(server, stream=stream, api_key="secret", extra_body={"top_k": 5})
    assert reply == Reply(ANSWER, "Hm,\n\nwell", "stop", Usage(3, 3))
    (request,) = server.requests
    assert request["messages"] == HELLO
    assert (request["model"], request["temperature"], request["top_k"]) == ("m", 0, 5)
    assert request["authorization"] == "Bearer secret"
    assert request.get("stream", False) == stream


@pytest.mark.parametrize("stream", [False, True])
def test_a_completion(stream):
    with ModelServer(answer) as server:
        client = OpenAIClient(server.base_url + "/", stream=stream)
        reply = asyncio.run(client.complete("Say it", model="m", max_tokens=5))
    assert reply == Reply(ANSWER, "", "stop", Usage(2, 3))
    (request,) = server.requests
    assert (request["prompt"], request["max_tokens"]) == ("Say it", 5)
    assert request["authorization"] is None


def test_many_calls_at_a_time():
    """Each call gets its own answer."""

    async def ask_all(client):
        calls = [client.chat([{"role": "user", "content": str(i)}], model="m") for i in range(100)]
        return [reply.text for reply in await asyncio.gather(*calls)]

    with ModelServer(lambda request: request["messages"][0]["content"] + "!") as server:
        texts = asyncio.run(ask_all(OpenAIClient(server.base_url)))
    assert texts == [f"{i}!" for i in range(100)]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "message", "can_retry", "status", "retry_after"),
    [
        (Fault("status", status=429, retry_after=1.5), "status 429: .*on demand", True, 429, 1.5),
        (Fault("status", status=429, retry_after="soon"), "status 429", True, 429, None),
        (Fault("status", status=500), "status 500", True, 500, None),
        (Fault("status", status=503), "status 503", True, 503, None),
        (Fault("status", status=400), "status 400", False, 400, None),
        (Fault("status", status=401), "status 401", False, 401, None),
        (Fault("status", status=302), "status 302", False, 302, None),
        (Fault("drop"), "broke off|reset", True, None, None),
        (Fault("cut"), "broke off|reset", True, None, None),
        (Fault("malformed"), "no JSON", True, None, None),
        (Fault("delay", seconds=5), "no answer within 0.2 s", True, None, None),
    ],
)
def test_faults(fault, message, can_retry, status, retry_after, stream):
    """Each is one error that says what happened, and whether another attempt may help."""
    with ModelServer(answer, at({0: fault})) as server:
        error = refused(server, stream=stream, timeout=0.2 if fault.kind == "delay" else 10)
        assert pytest.raises(ModelError, match=message).matches(error)
        assert (error.can_retry, error.status, error.retry_after) == (
            can_retry,
            status,
            retry_after,
        )
        assert len(server.requests) == 1
        assert chat(server, stream=stream).text == ANSWER


def test_retry_after_as_a_date():
    date = formatdate(time.time() + 100, usegmt=True)
    with ModelServer(answer, at({0: Fault("status", retry_after=date)})) as server:
        assert 0 < refused(server).retry_after <= 100


@pytest.mark.parametrize("stream", [False, True])
def test_an_empty_answer_is_an_answer(stream):
    """Whether it is worth another attempt is for who asked to say."""
    with ModelServer(answer, at({0: Fault("empty")})) as server:
        assert chat(server, stream=stream) == Reply("", "", "stop", Usage(3, 0))


def test_a_late_answer_is_waited_for():
    with ModelServer(answer, at({0: Fault("delay", seconds=0.05)})) as server:
        assert chat(server, timeout=10).text == ANSWER


def test_the_schedule_of_faults_is_fixed():
    schedule = share(0.3, seed=1)
    faults = [schedule(number, {}) for number in range(1000)]
    assert faults == [schedule(number, {"other": 1}) for number in range(1000)]
    assert 250 < sum(fault is not None for fault in faults) < 350
    assert len({fault.kind for fault in faults if fault}) == 6


def test_an_unknown_path_and_no_server():
    with ModelServer(answer) as server:
        url = server.base_url
        client = OpenAIClient(url + "/deeper")
        with pytest.raises(ModelError, match="status 404: .*no such path") as caught:
            asyncio.run(client.chat(HELLO, model="m"))
        assert not caught.value.can_retry
    with pytest.raises(ModelError, match="127.0.0.1.*/chat/completions: ") as caught:
        asyncio.run(OpenAIClient(url).chat(HELLO, model="m"))
    assert caught.value.can_retry


# ------------------------------------------------------------------------------ other servers


def talk(response, **options):
    """Chat with a server that sends these bytes, whatever it is asked, and closes."""

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        writer.write(response)
        await writer.drain()
        writer.close()

    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            client = OpenAIClient(f"http://127.0.0.1:{port}", timeout=10, **options)
            return await client.chat(HELLO, model="m")

    return asyncio.run(run())


def whole(**message):
    body = {"choices": [{"message": message, "finish_reason": "length"}]}
    return json.dumps(body).encode()


def events(*lines):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    return head + "".join(f"{line}\n" for line in lines).encode()


def test_forms_of_a_response():
    """A body without length, one in chunks with extensions, one after an interim response."""
    body = whole(content="hi", reasoning="so")
    expected = Reply("hi", "so", "length", None)
    assert talk(b"HTTP/1.0 200 OK\r\n\r\n" + body) == expected
    chunks = b"HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n"
    chunks += (
        b"5;x=1\r\n" + body[:5] + b"\r\n%X\r\n" % (len(body) - 5) + body[5:] + b"\r\n0\r\n\r\n"
    )
    assert talk(chunks) == expected
    assert talk(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + body) == expected


def test_forms_of_a_stream():
    """Comments, no blank after the colon, CRLF, an end without [DONE]."""
    piece = json.dumps({"choices": [{"delta": {"content": "hi"}, "finish_reason": None}]})
    last = json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    for lines in [
        (f"data: {piece}", "", f"data: {last}", ""),
        (": waiting", "", f"data:{piece}\r", "\r", f"data:{last}\r", "data: [DONE]\r", "\r"),
        ("event: x", f"data: {piece}", "", "data: [DONE]", "", "data: more"),
    ]:
        assert talk(events(*lines), stream=True).text == "hi"


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (b"", "broke off before"),
        (b"HTTP/1.1 200 OK\r\nContent", "broke off before"),
        (b"SSH-2.0 hello\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}", "broke off within"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}", "broke off within"),
        (b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe", "no JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n[]", r"the body is \[\]"),
        (b"HTTP/1.1 200 OK\r\n\r\n{}", "choices is None"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"choices": []}', r"choices is \[\]"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"choices": [{}]}', r"choices\[0\].message is None"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"error": {"message": "busy"}}', "busy"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + whole(content=["hi"]), r"content is \['hi'\]"),
        (events('data: {"error": "busy"}'), "busy"),
        (events('data: {"choices": [{"delta": 3}]}'), r"choices\[0\].message is 3"),
        (events('data: {"choices": [{"delta": {"content": "hi"}}]}'), "before the end"),
    ],
)
def test_responses_that_are_none(response, message):
    with pytest.raises(ModelError, match=message) as caught:
        talk(response)
    assert caught.value.can_retry


def test_bad_arguments():
    with pytest.raises(ValueError, match="base_url is 'localhost'; it must begin with http"):
        OpenAIClient("localhost")
    with pytest.raises(ValueError, match="timeout is 0; it must be a number of seconds above 0"):
        OpenAIClient("http://localhost", timeout=0)


# ------------------------------------------------------------------------------ other clients


def test_a_client_of_the_openai_package():
    """Anything with its calls will do."""

    async def create(**request):
        choice = SimpleNamespace(
            message=SimpleNamespace(content=str(request), role="assistant"), finish_reason="stop"
        )
        return SimpleNamespace(choices=[choice], usage=SimpleNamespace(prompt_tokens=3))

    async def complete(**request):
        return SimpleNamespace(
            choices=[SimpleNamespace(text=request["prompt"], finish_reason=None)], usage=None
        )

    sdk = SimpleNamespace(
        chat=SimpleNamespace(completions=SimpleNamespace(create=create)),
        completions=SimpleNamespace(create=complete),
    )
    client = as_client(sdk)
    reply = asyncio.run(client.chat(HELLO, model="m", top_p=0.5))
    assert reply.text == str({"model": "m", "messages": HELLO, "top_p": 0.5})
    assert reply.usage == Usage(3, 0)
    assert asyncio.run(client.complete("once", model="m")) == Reply("once")
    assert as_client(client) is client


def test_what_is_no_client():
    with pytest.raises(TypeError, match="client is a str; it must have `async chat"):
        as_client("http://127.0.0.1")
