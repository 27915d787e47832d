"""Messages with pictures, and what names a set of prompts in results."""

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from spatialjax.llm.client import Message

if TYPE_CHECKING:
    from PIL import Image

VERSION = 1
"""Of all texts here; raised with every change of them, so that results say what was asked."""


class Prompts(Protocol):
    """What a runner needs of a set of prompts."""

    @property
    def is_stepwise(self) -> bool:
        """Whether the model is asked move by move; else it answers once, with a whole line."""
        ...

    def messages(self, episode: Any) -> list[Message]:
        """Return the conversation that the next reply answers."""
        ...

    def identity(self) -> dict[str, Any]:
        """Return `name`, `version` and `hash`; the hash covers every word and every option."""
        ...


def message(role: str, text: str, pictures: Sequence["Image.Image"] = ()) -> Message:
    """Return a message of text, behind pictures if there are any."""
    if not pictures:
        return {"role": role, "content": text}
    parts = [picture_part(picture) for picture in pictures]
    return {"role": role, "content": [*parts, {"type": "text", "text": text}]}


def picture_part(picture: "Image.Image") -> dict[str, Any]:
    """Return a picture as a part of a message: PNG in base64."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return encoded_part(base64.b64encode(buffer.getvalue()).decode("ascii"))


def encoded_part(png: str) -> dict[str, Any]:
    """Return a picture, a PNG in base64, as a part of a message."""
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}}


def digest(messages: Sequence[Message], options: dict[str, Any]) -> str:
    """Return the SHA-256 of the words of a conversation and of the options it was made with.

    Pictures count by their place alone: their bytes differ between versions of Pillow.
    """
    words = [
        content if isinstance(content := one["content"], str) else [_words(p) for p in content]
        for one in messages
    ]
    roles = [one["role"] for one in messages]
    text = json.dumps([roles, words, options], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _words(part: dict[str, Any]) -> str:
    return part.get("text", "<picture>")
