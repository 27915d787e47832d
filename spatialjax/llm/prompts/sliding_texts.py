"""The words of the prompts for sliding puzzles; a change raises `message.VERSION`."""

RULES = (
    "A board of {size} x {size} cells holds {pieces}. A move slides one of them by one cell, left, "
    "right, up or down, into a cell that is empty. Nothing leaves the board, and no two share a "
    "cell. The aim is to bring every one to its cell in the goal state, in as few moves as you can."
)
CELLS = (
    "Cells are named by the letter of their column, A to {last_column} from left to right, and the "
    "number of their row, 1 to {size} from bottom to top. So A1 is at the bottom left."
)

ANSWER_GEOMS = (
    "You make one move a turn: the word move, a colour, a shape and a direction, such as\n"
    "move {first} left\n"
    "Colours on this board: {colors}. Shapes: {shapes}. Directions: left, right, up, down. Name no "
    "cells.\n"
)
ANSWER_TILES = (
    "You make one move a turn: the words move tile, the number of the tile and a direction, such "
    "as\nmove {first} left\n"
    "Directions: left, right, up, down. Name no cells.\n"
)
ANSWER_END = (
    "A move into a taken cell or off the board changes nothing and still costs a turn. If your "
    "last move changed nothing, choose another.\n"
    "First compare the active state with the goal, and look at what your last moves did. Then end "
    "with one line that holds your move and nothing else, like this:\n"
    "action: move {first} left"
)

LEGEND_TEXT = (
    "A state is given as text, a line for every occupied cell: the cell, then what stands on it. "
    "Cells that are not listed are empty. You see the goal state, the active state, which is how "
    "the board stands now, and before them the last states before that, each with the move you "
    "made in it."
)
LEGEND_PICTURE = (
    "A state is given as a picture.{marks} Past states come first, each with the move you made in "
    "it; then the goal, then the active state, which is how the board stands now. Empty cells show "
    "their name."
)
MARKS = {
    "both": " A word at its top right says which it is, goal, active or past, and so does its "
    "ground: green for the goal, blue for the active state, grey for a past one.",
    "label": " A word at its top right says which it is: goal, active or past.",
    "color": " Its ground says which it is: green for the goal, blue for the active state, grey "
    "for a past one.",
    "none": "",
}
DRAWN_AS = (
    "Solids are drawn flat: a cube as a square, a sphere as a disc, a cylinder as a hexagon, a "
    "pyramid as a triangle with its point up, a cone as a sector of a disc with its point down, a "
    "prism as a diamond."
)

EXAMPLES_HEAD = "Worked examples on other boards:"

TEMPLATE = """You solve sliding puzzles.

{rules}

{cells}

{legend}

{answer}

{examples}
=== user ===
{states}

Turn {step} of at most {max_steps}. What is your move?
"""

NO_COMMAND = "(none)"
PAST = "Past state {number} of {count}:"
GOAL = "Goal state:"
ACTIVE = "Active state:"
PICTURES = "The first picture is the goal state, the second the active state."
