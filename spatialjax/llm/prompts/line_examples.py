"""Two line puzzles of our own, solved by our solver, with the reasons in words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spatialjax.data.board import STEPS, Point

_LETTERS = "RULD"


@dataclass(frozen=True)
class LineExample:
    """A worked example.

    Attributes:
      tokens: rows of the board, tokens parted by blanks.
      polyshapes: as records have them.
      moves: of a solution, the letters of right, up, left, down.
      reasons: why that line keeps the rules.
    """

    tokens: tuple[str, ...]
    polyshapes: str
    moves: str
    reasons: str

    @cached_property
    def record(self) -> dict[str, Any]:
        """The puzzle as a record, without a list of solutions."""
        rows = [row.split() for row in self.tokens]
        return {
            "id": "example",
            "grid_size": {"width": len(rows[0]) // 2, "height": len(rows) // 2},
            "puzzle_array": rows,
            "polyshapes": self.polyshapes,
            "text_visualization": "",
        }

    @property
    def actions(self) -> list[int]:
        """The moves as actions, 0 right, 1 up, 2 left, 3 down."""
        return [_LETTERS.index(letter) for letter in self.moves]

    @cached_property
    def path(self) -> list[Point]:
        """The solution as points (x, y)."""
        rows = self.record["puzzle_array"]
        path = [(row.index("S"), y) for y, row in enumerate(rows) if "S" in row]
        for action in self.actions:
            (x, y), (dx, dy) = path[-1], STEPS[action]
            path.append((x + dx, y + dy))
        return path


LINE_EXAMPLES = (
    LineExample(
        tokens=(
            "+  S   +  +   +",
            "+  o-B +  A-B +",
            "+  +   +  +   +",
            "+  o-G +  *-B +",
            "+  E   +  +   +",
        ),
        polyshapes="{}",
        moves="RDDLLDDR",
        reasons=(
            "The blue star at (3, 3) needs exactly one more blue symbol in its region, but there "
            "are two, the square at (1, 1) and the triangle at (3, 1). The two squares differ in "
            "colour, so they have to be parted anyway. If the line goes round the blue square "
            "through (1, 0), (2, 1) and (1, 2), that square is a region of its own. The other "
            "three cells are one region: its only square is green, and the star has the triangle. "
            "Beside the triangle only (2, 1) is on the line, one point as it asks. From (0, 2) the "
            "line goes down the border, where it divides nothing, to the end."
        ),
    ),
    LineExample(
        tokens=(
            "+  +      .  +   +  +  +  +   +",
            "+  Y-R-1  +  B-Y +  N  +  o-R G",
            "+  +      +  +   +  G  +  +   +",
            "+  P-R-19 +  o-G +  N  +  N   +",
            "+  +      S  +   +  G  E  +   +",
        ),
        polyshapes='{"1":[[1,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]],'
        '"19":[[1,1,0,0],[1,0,0,0],[0,0,0,0],[0,0,0,0]]}',
        moves="UUUURRRRDDDD",
        reasons=(
            "Shape 19 has three cells and the negative shape 1 takes one off, so their region has "
            "two cells. They are one above the other in the left column, so the line can go "
            "straight up from (2, 4) to (2, 0), which parts that column and passes the dot. Shape "
            "19 laid on the top left covers both cells of the column and the cell at (3, 1), "
            "outside the region; shape 1 takes that layer off. Then the two triangles at (3, 1) "
            "have (2, 1) on the line and need one more point: (3, 0), so the line goes along the "
            "top. The squares at (3, 3) and (7, 1) differ in colour; going down from (6, 0) to "
            "(6, 4) parts them and reaches the end. No gap is passed."
        ),
    ),
)
