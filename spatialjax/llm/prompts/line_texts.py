"""The words of the prompts for line puzzles: every rule once, for all modes.

Whoever changes a word raises `message.VERSION`.
"""

RULES = {
    "line": (
        "Line: it runs from the start to the end, from point to neighbouring point, right, up, "
        "left or down, one point at a time. It never comes to a point twice, never enters a cell "
        "and never leaves the board."
    ),
    "gap": "Gaps: the line can't pass a gap.",
    "dot": "Dots: the line passes every dot.",
    "region": (
        "Regions: the line divides the cells into regions. Two cells side by side are in one "
        "region unless the point between them is on the line. Cells that only share a corner "
        "don't touch, and a gap divides nothing. Most rules speak of regions."
    ),
    "square": "Squares: all squares of a region have the same colour.",
    "star": (
        "Stars: the region of a star holds exactly two symbols of the star's colour, the star "
        "itself and one more. That may be a star, a square, a triangle, a polyomino or a negative "
        "polyomino. Symbols of other colours don't matter to it; dots and gaps have no colour."
    ),
    "triangle": (
        "Triangles: of the four points beside a cell with n triangles, to its right, above, to "
        "its left and below, exactly n are on the line. Those on the border of the board count."
    ),
    "poly": (
        "Polyominoes: put together, the polyominoes of a region fill it, each used once, with no "
        "cell left over, none covered twice and none outside. They may be shifted, but not turned "
        "and not mirrored. It doesn't matter where in the region their symbols stand, nor which "
        "colour they have. None may lie across the line."
    ),
    "ylop": (
        "Negative polyominoes: each takes one layer off the cells it is laid on. It may be shifted "
        "like a polyomino, and may lie outside its region too, but not off the board. Where it "
        "takes a layer off, polyominoes of its region may overlap or reach out of the region. In "
        "the end every cell of the region is covered once and no other cell at all. If the two "
        "kinds have equally many cells, they must cancel everywhere, and the region may then have "
        "any form. Negative polyominoes may not have more cells than the polyominoes of their "
        "region, and never stand without one."
    ),
}

BOARD = (
    "The puzzle is a board of cells with a grid of points around them. A point has coordinates "
    "(x, y): x counts to the right and y downwards, from (0, 0) at the top left. Where x and y are "
    "both odd there is a cell, which may hold a symbol. All other points can carry the line: "
    "points with x and y both even are the corners of cells, the rest are the middles of their "
    "sides. So from one corner to the next the line takes two steps."
)

LEGEND = (
    "Signs of the grid:\n"
    "S start, E end, + a free point, . a dot, G a gap, N a cell without symbol.\n"
    "A symbol is a letter, a dash and a colour: o-R a square, *-R a star, A-R, B-R, C-R and D-R "
    "one, two, three and four triangles, P-R-7 a polyomino and Y-R-7 a negative polyomino, with "
    "the number of their shape at the end.\n"
    "Colours: R red, B blue, G green, Y yellow, W white, O orange, P purple, K black.\n"
    "Shapes are listed under the grid, 1 a cell of the shape and 0 none."
)
LEGEND_DRAWN = "V is a point on the line, L the point where the line stands now."

LEGEND_PICTURE = (
    "In the picture the grid is drawn as dark bars, with cells of lighter ground between them. "
    "The start is a large disc, the end a short stub that sticks out of the grid. A dot is a small "
    "light hexagon on a bar, a gap a bar that is interrupted. In the cells, a square has round "
    "corners, a star has eight points, triangles stand side by side, a polyomino is drawn as "
    "filled blocks and a negative polyomino as blocks with only an outline."
)
LEGEND_PICTURE_DRAWN = "The line so far is drawn over the bars in a bright colour."

ANSWER_PATH = (
    "Think first, as long as you need. Then write #### and behind it all points of the line, from "
    "the start to the end, with none left out, like this:\n"
    "#### (0, 0), (1, 0), (2, 0), (2, 1)"
)
ANSWER_STEP = (
    "Choose one move. 0 is right, 1 is up, 2 is left, 3 is down. Think first, as long as you need. "
    "Then end with a line that holds the number or the word of your move, like this:\n"
    "Final: 0"
)

TASK = "Find a line from the start to the end that keeps all of these rules:"
TASK_STEP = (
    "Draw a line from the start to the end, one step a turn, that keeps all of these rules when it "
    "reaches the end:"
)
NO_TRACEBACK = "What is drawn stays: no step can be taken back."
TRACEBACK = (
    "A step back to the point before takes the last step of the line away; that point is then free "
    "again. It is the only way to come to a point that is on the line."
)
EXAMPLES_HEAD = "Worked examples:"
PICTURES_OF_EXAMPLES = (
    "The first pictures belong to the worked examples, in their order; the last one is your puzzle."
)

_SYSTEM = "You solve puzzles in which a line is drawn on a grid.\n\n{board}\n\n"
ONE_SHOT = (
    _SYSTEM
    + """{task}
{rules}

{legend}

{answer}

{examples}
=== user ===
The board has {width} x {height} cells, so {columns} x {rows} points. The line starts at {start} and
ends at {end}.

{grid}
"""
)
STEP = (
    _SYSTEM
    + """{task}
{rules}

{traceback}

{legend}

{answer}

{examples}
=== user ===
The board has {width} x {height} cells, so {columns} x {rows} points. The line starts at {start} and
has to end at {end}.

{grid}

Turn {step} of at most {max_steps}. The line so far: {path}
It stands at {position}. Moves that are possible: {moves}
"""
)
