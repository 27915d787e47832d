"""Slow, obvious Python for sliding puzzles, written apart from the package: the tests' judge.

A board is a dict: size n, and a list of geoms, each a dict with name, at and goal, cells (x, y).
"""

from collections import deque

WAYS = {"left": (-1, 0), "right": (1, 0), "down": (0, -1), "up": (0, 1)}
SHAPES = ["cube", "sphere", "cylinder", "pyramid", "cone", "prism"]
COLORS = ["red", "green", "blue", "yellow", "purple", "orange"]
FLAT = {"square": "cube", "circle": "sphere", "triangle": "pyramid", "hexagon": "cylinder"}


def read_config(config):
    """The board of a config, at its start."""
    geoms = {}
    for place, landmark in enumerate(config["landmarks"], start=1):
        number = int(landmark.get("geom_nr", place))
        tile = landmark["body"] == "tile"
        name = f"tile {number}" if tile else f"{landmark['color']} {landmark['body']}"
        start, goal = landmark["start_coordinate"], landmark["goal_coordinate"]
        geoms[number] = {
            "name": name,
            "at": (int(start[0]), int(start[1])),
            "goal": (int(goal[0]), int(goal[1])),
        }
    return {"n": int(config["grid_size"]), "geoms": [geoms[number] for number in sorted(geoms)]}


def arrangement(board, key="at"):
    return tuple(geom[key] for geom in board["geoms"])


def moves(n, cells):
    """Every arrangement one move away, by (geom, direction)."""
    found = {}
    for i, (x, y) in enumerate(cells):
        for way, (dx, dy) in WAYS.items():
            target = (x + dx, y + dy)
            if 0 <= target[0] < n and 0 <= target[1] < n and target not in cells:
                found[i, way] = cells[:i] + (target,) + cells[i + 1 :]
    return found


def distances_to(n, goal):
    """The exact distance to the goal of every arrangement from which it can be reached."""
    distance = {goal: 0}
    queue = deque([goal])
    while queue:
        cells = queue.popleft()
        for after in moves(n, cells).values():
            if after not in distance:
                distance[after] = distance[cells] + 1
                queue.append(after)
    return distance


def distance(n, start, goal):
    """The exact distance between two arrangements by a search that stops there."""
    seen, ring, steps = {start}, [start], 0
    while ring:
        if goal in seen:
            return steps
        ring = list({after for cells in ring for after in moves(n, cells).values()} - seen)
        seen.update(ring)
        steps += 1
    return None


def total_manhattan(start, goal):
    return sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in zip(start, goal, strict=True))


def play(board, text):
    """Carry out a command in place; the name of what it came to."""
    words = text.strip().lower()
    words = (words[:-1] if words.endswith(".") else words).replace("\t", " ").split(" ")
    words = [word for word in words if word]
    n, geoms = board["n"], board["geoms"]
    if words == ["done"]:
        done = all(geom["at"] == geom["goal"] for geom in geoms)
        return "DONE_RIGHT" if done else "DONE_WRONG"
    if len(words) != 4 or words[0] != "move" or words[3] not in WAYS:
        return "ILLEGAL_COMMAND"
    first, second, way = words[1:]
    if first == "tile":
        numbers = [number for number in range(1, n * n) if str(number) == second.lstrip("0")]
        if not numbers:
            return "ILLEGAL_COMMAND"
        name = f"tile {numbers[0]}"
    else:
        second = FLAT.get(second, second)
        if first not in COLORS or second not in SHAPES:
            return "ILLEGAL_COMMAND"
        name = f"{first} {second}"
    named = [geom for geom in geoms if geom["name"] == name]
    if not named:
        return "NO_SUCH_GEOM"
    x, y = named[0]["at"]
    target = (x + WAYS[way][0], y + WAYS[way][1])
    if not (0 <= target[0] < n and 0 <= target[1] < n):
        return "OUT_OF_BOUNDS"
    if any(geom["at"] == target for geom in geoms):
        return "OCCUPIED"
    named[0]["at"] = target
    return "MOVED"


def lines(board):
    """The text of a board: its cells column by column."""
    names = {geom["at"]: geom["name"] for geom in board["geoms"]}
    cells = [(x, y) for x in range(board["n"]) for y in range(board["n"])]
    return [f"{'ABCDEFGH'[x]}{y + 1} {names[x, y]}" for x, y in cells if (x, y) in names]


def faults(config):
    """What is wrong with a config that reads as one; [] if nothing."""
    board = read_config(config)
    n, starts, goals = board["n"], arrangement(board), arrangement(board, "goal")
    names = [geom["name"] for geom in board["geoms"]]
    found = []
    if not all(0 <= c < n for cell in starts + goals for c in cell):
        found.append("a cell off the board")
    if len(set(starts)) < len(starts) or len(set(goals)) < len(goals):
        found.append("two geoms on a cell")
    if len(set(names)) < len(names):
        found.append("two geoms of a name")
    if starts == goals:
        found.append("solved")
    total = total_manhattan(starts, goals)
    c1, c2 = config.get("complexity_c1"), config.get("complexity_c2")
    texts = config.get("shortest_move_sequence")
    if c1 is not None and (c1 < total or (c1 - total) % 2):
        found.append("c1")
    if texts is not None:
        texts = [t for t in texts if t.strip(" \t.").lower() not in ("start", "done")]
        if any(play(board, text) != "MOVED" for text in texts):
            found.append("an illegal move")
        if arrangement(board) != goals or (c1 is not None and c1 != len(texts)):
            found.append("no solution")
        c1 = len(texts)
    if c1 is not None and c2 is not None and total + 2 * c2 != c1:
        found.append("c2")
    return found
