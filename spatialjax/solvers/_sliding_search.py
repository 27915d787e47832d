"""The compiled part of `sliding_astar`: A* over the arrangements of one board.

A state is a row of cells, one for each geom. Rows lie in one growing array; a table of open
addressing finds them by hash. The frontier has a stack for each cost f = moves so far + estimate:
the lowest f first, and of these the state found last, which is the deepest.
"""

from typing import Any

import numpy as np
from numba import njit

SOLVED, UNREACHABLE, GAVE_UP = 0, 1, 2


@njit(cache=True, nogil=True)
def search(start, goal, size, max_states):
    """Return (status, moves as `4 * geom + direction`, states expanded)."""
    num_geoms = len(start)
    none = np.empty(0, np.int64)
    capacity = 1024
    rows = np.empty((capacity, num_geoms), np.uint8)
    depth = np.empty(capacity, np.int32)
    estimate = np.empty(capacity, np.int32)
    parent = np.empty(capacity, np.int32)
    action = np.empty(capacity, np.int16)
    table = np.full(4 * capacity, -1, np.int32)
    # Entries of the frontier: a state may have several, of which those with a stale depth are void.
    entry_state = np.empty(capacity, np.int32)
    entry_depth = np.empty(capacity, np.int32)
    entry_next = np.empty(capacity, np.int32)
    stack = np.full(64, -1, np.int32)
    num_entries, expanded = 0, 0

    scratch = np.empty((2, size), np.int64)
    grid = np.full(size * size, -1, np.int64)
    for geom in range(num_geoms):
        grid[start[geom]] = geom
    rows[0] = start
    depth[0], parent[0], action[0] = 0, -1, -1
    estimate[0] = manhattan(start, goal, size) + conflicts(grid, goal, size, scratch)
    table[_hash(rows[0]) & (len(table) - 1)] = 0
    num_states = 1
    lowest = estimate[0]
    stack = _fitting(stack, lowest)
    entry_state[0], entry_depth[0], entry_next[0] = 0, 0, -1
    stack[lowest] = 0
    num_entries = 1
    child = np.empty(num_geoms, np.uint8)

    while True:
        while lowest < len(stack) and stack[lowest] < 0:
            lowest += 1
        if lowest == len(stack):
            return UNREACHABLE, none, expanded
        entry = stack[lowest]
        stack[lowest] = entry_next[entry]
        state = entry_state[entry]
        if entry_depth[entry] != depth[state]:
            continue
        if _is_equal(rows[state], goal):
            return SOLVED, _moves(parent, action, state), expanded
        expanded += 1
        grid[:] = -1
        for geom in range(num_geoms):
            grid[rows[state, geom]] = geom
        for geom in range(num_geoms):
            for direction in range(4):
                cell = rows[state, geom]
                target = neighbour(cell, direction, size)
                if target < 0 or grid[target] >= 0:
                    continue
                child[:] = rows[state]
                child[geom] = target
                reached = depth[state] + 1
                slot = _hash(child) & (len(table) - 1)
                while table[slot] >= 0 and not _is_equal(rows[table[slot]], child):
                    slot = (slot + 1) & (len(table) - 1)
                found = table[slot]
                if found >= 0:
                    if depth[found] <= reached:
                        continue
                else:
                    if num_states == max_states:
                        return GAVE_UP, none, expanded
                    if num_states == capacity:
                        capacity *= 2
                        rows, depth = _longer_rows(rows, capacity), _longer(depth, capacity)
                        estimate, parent = _longer(estimate, capacity), _longer(parent, capacity)
                        action = _longer(action, capacity)
                        table = _rehashed(rows, num_states, 4 * capacity)
                        slot = _hash(child) & (len(table) - 1)
                        while table[slot] >= 0:
                            slot = (slot + 1) & (len(table) - 1)
                    found = num_states
                    num_states += 1
                    rows[found] = child
                    change = _change(grid, goal, geom, cell, target, direction, size, scratch)
                    estimate[found] = estimate[state] + change
                    table[slot] = found
                depth[found], parent[found], action[found] = reached, state, 4 * geom + direction
                if num_entries == len(entry_state):
                    entry_state = _longer(entry_state, 2 * num_entries)
                    entry_depth = _longer(entry_depth, 2 * num_entries)
                    entry_next = _longer(entry_next, 2 * num_entries)
                cost = reached + estimate[found]
                stack = _fitting(stack, cost)
                entry_state[num_entries], entry_depth[num_entries] = found, reached
                entry_next[num_entries] = stack[cost]
                stack[cost] = num_entries
                num_entries += 1
                lowest = min(lowest, cost)


@njit(cache=True, nogil=True)
def neighbour(cell, direction, size):
    """Return the cell next to one, -1 if there is none; directions in the order of `Direction`."""
    x, y = cell % size, cell // size
    if direction == 0:
        return cell - 1 if x > 0 else -1
    if direction == 1:
        return cell + 1 if x < size - 1 else -1
    if direction == 2:
        return cell - size if y > 0 else -1
    return cell + size if y < size - 1 else -1


@njit(cache=True, nogil=True)
def manhattan(position, goal, size):
    """Return the summed Manhattan distance of all geoms to their goals."""
    total = 0
    for geom in range(len(position)):
        here, there = int(position[geom]), int(goal[geom])
        total += abs(here % size - there % size) + abs(here // size - there // size)
    return total


@njit(cache=True, nogil=True)
def conflicts(grid, goal, size, scratch):
    """Return the moves that geoms must make on top to pass each other within a line.

    Of the geoms that stand in a line and have their goals in it, all but a longest run that is in
    the order of its goals must leave the line and come back, two moves that Manhattan distance
    doesn't count; the moves are along different axes for rows and columns, so both sums add up.
    """
    total = 0
    for k in range(size):
        total += line_conflict(grid, goal, size, k * size, 1, 1, scratch)
        total += line_conflict(grid, goal, size, k, size, 0, scratch)
    return total


@njit(cache=True, nogil=True)
def line_conflict(grid, goal, size, first, step, is_row, scratch):
    """Return the conflict within the row or column whose cells are `first + i * step`."""
    wanted, run = scratch[0], scratch[1]
    count, longest = 0, 0
    for i in range(size):
        geom = grid[first + i * step]
        if geom < 0:
            continue
        there = int(goal[geom])
        if is_row:
            if there // size != first // size:
                continue
            wanted[count] = there % size
        else:
            if there % size != first:
                continue
            wanted[count] = there // size
        run[count] = 1
        for before in range(count):
            if wanted[before] < wanted[count]:
                run[count] = max(run[count], run[before] + 1)
        longest = max(longest, run[count])
        count += 1
    return 2 * (count - longest)


@njit(cache=True, nogil=True)
def _change(grid, goal, geom, cell, target, direction, size, scratch):
    """Return by how much the estimate changes when a geom slides; the grid comes back unchanged.

    Along the line of the move the order stays, so only the two lines across it can change.
    """
    there = int(goal[geom])
    if direction < 2:
        nearer = abs(target % size - there % size) < abs(cell % size - there % size)
        first, other, step, is_row = cell % size, target % size, size, 0
    else:
        nearer = abs(target // size - there // size) < abs(cell // size - there // size)
        first, other, step, is_row = cell // size * size, target // size * size, 1, 1
    before = line_conflict(grid, goal, size, first, step, is_row, scratch)
    before += line_conflict(grid, goal, size, other, step, is_row, scratch)
    grid[cell], grid[target] = -1, geom
    after = line_conflict(grid, goal, size, first, step, is_row, scratch)
    after += line_conflict(grid, goal, size, other, step, is_row, scratch)
    grid[cell], grid[target] = geom, -1
    return after - before + (-1 if nearer else 1)


@njit(cache=True, nogil=True)
def _hash(row):
    """Return a hash of a row that is not negative."""
    word = np.uint64(1469598103934665603)
    for value in row:
        word = (word ^ np.uint64(value)) * np.uint64(1099511628211)
    word ^= word >> np.uint64(29)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(32)
    return np.int64(word >> np.uint64(1))


@njit(cache=True, nogil=True)
def _is_equal(a, b):
    for i in range(len(a)):
        if a[i] != b[i]:
            return False
    return True


@njit(cache=True, nogil=True)
def _moves(parent, action, state):
    count, last = 0, state
    while parent[last] >= 0:
        count, last = count + 1, parent[last]
    moves = np.empty(count, np.int64)
    for i in range(count - 1, -1, -1):
        moves[i] = action[state]
        state = parent[state]
    return moves


@njit(cache=True, nogil=True)
def _fitting(stack, cost) -> Any:
    """Return the stacks with room for a cost."""
    if cost < len(stack):
        return stack
    longer = np.full(2 * cost, -1, np.int32)
    longer[: len(stack)] = stack
    return longer


@njit(cache=True, nogil=True)
def _longer(array, length) -> Any:
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer


@njit(cache=True, nogil=True)
def _longer_rows(rows, length) -> Any:
    longer = np.empty((length, rows.shape[1]), rows.dtype)
    longer[: len(rows)] = rows
    return longer


@njit(cache=True, nogil=True)
def _rehashed(rows, num_states, length) -> Any:
    table = np.full(length, -1, np.int32)
    for state in range(num_states):
        slot = _hash(rows[state]) & (length - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (length - 1)
        table[slot] = state
    return table
