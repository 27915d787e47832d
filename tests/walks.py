"""Random paths over line puzzles: finished, unfinished and deliberately malformed."""

import random

from oracle import Board, Path, Point, Record, neighbours, read_board

Neighbours = dict[Point, list[Point]]


def free_neighbours(board: Board) -> Neighbours:
    """Each free point of the lattice -> the free points one step away."""
    points = [(x, y) for y in range(board.rows) for x in range(board.columns)]
    return {
        point: [other for other in neighbours(point) if board.is_free(other)]
        for point in points
        if board.is_free(point)
    }


def random_path(
    rng: random.Random, record: Record, finished: bool, around: Neighbours | None = None
) -> Path:
    """A legal path from S: to E if ``finished`` (an error if none leads there), else elsewhere.

    Pass ``around``, made once by ``free_neighbours(read_board(record))``, to draw many quickly.
    """
    board = read_board(record)
    around = around or free_neighbours(board)
    if finished:
        return finished_path(rng, board, around)
    path = [board.start]
    keep_on = rng.choice((0.8, 0.95, 1.0))
    while rng.random() < keep_on:
        fresh = [point for point in around[path[-1]] if point not in path and point != board.end]
        if not fresh:
            break
        path.append(rng.choice(fresh))
    return path


def finished_path(rng: random.Random, board: Board, around: Neighbours) -> Path:
    """A random walk from S to E that falls back to a random point of itself when it is stuck."""
    if board.end not in reached(board.start, around):
        raise ValueError(f"no path leads from S at {board.start} to E at {board.end}")
    path = [board.start]
    while path[-1] != board.end:
        fresh = [point for point in around[path[-1]] if point not in path]
        if fresh:
            path.append(rng.choice(fresh))
        else:
            del path[rng.randrange(len(path)) + 1 :]
    return path


def reached(start: Point, around: Neighbours) -> set[Point]:
    """The points that some path from ``start`` leads to."""
    found, waiting = {start}, [start]
    while waiting:
        fresh = set(around[waiting.pop()]) - found
        found |= fresh
        waiting += fresh
    return found


def mutate_path(rng: random.Random, path: Path, record: Record) -> Path:
    """A path with one thing wrong with it, or nearly so; any list of points may come out."""
    columns, rows = (len(record["puzzle_array"][0]), len(record["puzzle_array"]))
    somewhere = (rng.randint(0, columns - 1), rng.randint(0, rows - 1))
    outside = rng.choice([(-1, 0), (columns, rows), (0, rows), (-7, 300), (columns, 0), (2, -1)])
    place = rng.randrange(len(path)) if path else 0
    before, after = path[:place], path[place:]
    mutants = [
        [],  # nothing
        before,  # ends early
        after,  # starts late
        before + after[1:],  # leaves a point out
        before + after[:1] * 2 + after[1:],  # stands still
        path[::-1],  # runs from E to S
        path + path[-2:-1],  # turns back at the end
        path + path[:1],  # comes back to S
        before + [somewhere] + after,  # jumps away and back
        before + [somewhere] + after[1:],  # goes another way
        before + [outside] + after,  # leaves the board
        rng.sample(path, len(path)),  # any order
        [(x + 1, y) for x, y in path],  # shifted, over cells
        [somewhere],
        [outside, outside],
        before + [other for other in neighbours((path or [somewhere])[place])] + after,
    ]
    return list(rng.choice(mutants))
