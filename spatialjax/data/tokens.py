"""The tokens of `puzzle_array`: what each means and where on the lattice it may stand."""

import re
from dataclasses import dataclass
from functools import lru_cache

COLORS = {
    "R": "red",
    "B": "blue",
    "G": "green",
    "Y": "yellow",
    "W": "white",
    "O": "orange",
    "P": "purple",
    "K": "black",
}
COLOR_LETTERS = {name: letter for letter, name in COLORS.items()}
SYMBOL_KINDS = ("square", "star", "triangle", "poly", "ylop")

_PLAIN = {"+": "free", "N": "empty", "S": "start", "E": "end", ".": "dot", "G": "gap"}
_PLAIN_TOKENS = {kind: token for token, kind in _PLAIN.items()}
_LETTERS = {"o": "square", "*": "star", "P": "poly", "Y": "ylop"}
_KIND_LETTERS = {kind: letter for letter, kind in _LETTERS.items()}
_TRIANGLES = "ABCD"  # one letter per count, 1 to 4
# At most 18 digits, so that an id always fits an int64.
SHAPE_ID = re.compile(r"0|[1-9][0-9]{0,17}")
_SYMBOL = re.compile(r"([o*ABCD])-([RBGYWOPK])|([PY])-([RBGYWOPK])-(0|[1-9][0-9]{0,17})")

_NODE = frozenset({"free", "dot", "start", "end"})
_EDGE = _NODE | {"gap"}
_CELL = frozenset({"empty", *SYMBOL_KINDS})


@dataclass(frozen=True)
class Token:
    """One token taken apart; colour is a letter or "", count and shape id are 0 where unused."""

    kind: str
    color: str = ""
    count: int = 0
    shape_id: int = 0


@lru_cache(maxsize=1024)  # a board repeats a few tokens many times
def parse_token(text: str) -> Token | None:
    """Take a token apart, or return None where the text is no token."""
    if text in _PLAIN:
        return Token(_PLAIN[text])
    match = _SYMBOL.fullmatch(text)
    if match is None:
        return None
    letter, color, shape_letter, shape_color, shape_id = match.groups()
    if shape_letter:
        return Token(_LETTERS[shape_letter], shape_color, 0, int(shape_id))
    if letter in _TRIANGLES:
        return Token("triangle", color, _TRIANGLES.index(letter) + 1)
    return Token(_LETTERS[letter], color)


def write_token(token: Token) -> str:
    """Write a token; the inverse of `parse_token`."""
    if token.kind in _PLAIN_TOKENS:
        return _PLAIN_TOKENS[token.kind]
    if token.kind == "triangle":
        return f"{_TRIANGLES[token.count - 1]}-{token.color}"
    text = f"{_KIND_LETTERS[token.kind]}-{token.color}"
    return f"{text}-{token.shape_id}" if token.kind in ("poly", "ylop") else text


def place_of(x: int, y: int) -> str:
    """Name the kind of lattice point: node, edge or cell."""
    return ("node", "edge", "cell")[x % 2 + y % 2]


def may_stand(kind: str, x: int, y: int) -> bool:
    """Say whether a token of this kind may stand at lattice point (x, y)."""
    return kind in (_NODE, _EDGE, _CELL)[x % 2 + y % 2]


def wanted_at(x: int, y: int) -> str:
    """Describe the tokens that may stand at lattice point (x, y), for error messages."""
    symbols = (
        "N or a symbol (o-C, *-C, A-C to D-C, P-C-id, Y-C-id with the colour C one of "
        "R B G Y W O P K)"
    )
    return ("one of + . S E", "one of + . G S E", symbols)[x % 2 + y % 2]
