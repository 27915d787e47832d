"""One HTTP/1.1 POST over asyncio, its response read as it comes in."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

_LIMIT = 2**20
"""Bytes of the longest line read: of a header, or of the size of a chunk."""

_BLOCK = 2**16


class HTTPError(Exception):
    """The connection broke off, or what came over it is not HTTP."""


@dataclass(frozen=True)
class Response:
    """A response of which status and headers have come.

    Attributes:
      status: HTTP status.
      fields: headers by name in lower case.
    """

    status: int
    fields: Mapping[str, str]
    _reader: asyncio.StreamReader

    async def read(self) -> bytes:
        """Return the whole body."""
        async with aclosing(self.blocks()) as blocks:
            return b"".join([block async for block in blocks])

    async def blocks(self) -> AsyncGenerator[bytes]:
        """Yield the body in pieces as they come. Raises HTTPError if it breaks off."""
        try:
            if "chunked" in self.fields.get("transfer-encoding", "").lower():
                while size := int((await self._reader.readline()).split(b";")[0], 16):
                    yield await self._reader.readexactly(size)
                    await self._reader.readexactly(2)
            elif "content-length" in self.fields:
                yield await self._reader.readexactly(int(self.fields["content-length"]))
            else:
                while block := await self._reader.read(_BLOCK):
                    yield block
        except (asyncio.IncompleteReadError, ValueError):
            raise HTTPError("the connection broke off within the answer") from None


@asynccontextmanager
async def post(url: str, headers: Mapping[str, str], body: bytes) -> AsyncIterator[Response]:
    """Send a request on a connection of its own, and close that at the end.

    Raises:
      HTTPError: if the response is none, or breaks off.
      OSError: if there is no connection, or it breaks.
    """
    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(
        parts.hostname,
        parts.port or (443 if is_secure else 80),
        ssl=True if is_secure else None,
        limit=_LIMIT,
    )
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        fields = {
            "Host": parts.netloc.rpartition("@")[2],
            "Content-Length": str(len(body)),
            "Accept-Encoding": "identity",
            "Connection": "close",
            **headers,
        }
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        response = await _read_head(reader)
        while response.status < 200:  # what only says that the request arrived
            response = await _read_head(reader)
        yield response
    finally:
        # Nothing more is wanted of the server, so that no farewell is waited for.
        writer.transport.abort()


async def _read_head(reader: asyncio.StreamReader) -> Response:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise HTTPError("the connection broke off before the answer") from None
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
        raise HTTPError(f"the answer is not HTTP; it begins {first[:80]!r}")
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    return Response(int(words[1]), fields, reader)
