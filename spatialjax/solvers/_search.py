"""The compiled search under `exhaustive.py`: depth-first over nodes, boards as 64-bit words.

Bit `y * stride + x` with `stride = width + 1` stands for the node (x, y), for the edge to its
right (words `*_h`), for the edge below it (words `*_v`) and for the cell right below it. So one
shift moves between all of them, and no column needs a guard: the last column holds no cell and no
right edge.

    node ---h--- node'     h, v and the cell share the bit of `node`;
     |                     the cell's other sides are h << stride (bottom) and v << 1 (right)
     v    cell
"""

import numpy as np
from numba import njit

ZERO = np.uint64(0)
ONE = np.uint64(1)
MAX_NODES = 64
MEMO_BITS = 12
NUM_COLORS = 8

# Places in the control vector that makes a search resumable.
DEPTH, MOVES, FOUND = 0, 1, 2
# Columns of the stack: what is known at each depth.
VISITED, USED_H, USED_V, JUDGED, HEAD, UNTRIED = 0, 1, 2, 3, 4, 5


@njit(cache=True, inline="always")
def _popcount(word):
    """Number of set bits."""
    word = word - ((word >> ONE) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    word = (word & low) + ((word >> np.uint64(2)) & low)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True, inline="always")
def _lowest(word):
    """The lowest set bit alone."""
    return word & (~word + ONE)


@njit(cache=True)
def _flood_cells(cells, join_r, join_d, stride):
    """Cells joined to `cells`; `join_r` / `join_d` mark cells joined to their left / upper one."""
    while True:
        grown = (
            cells
            | ((cells << ONE) & join_r)
            | ((cells & join_r) >> ONE)
            | ((cells << stride) & join_d)
            | ((cells & join_d) >> stride)
        )
        if grown == cells:
            return cells
        cells = grown


@njit(cache=True)
def _cover(need, ylops, polys, shape, anchors, region, cut_r, cut_d, stride):
    """Whether the shapes can be laid so that each cell gets exactly the layers it needs.

    `need[depth, k]` marks the cells that need more than k layers; its last three columns hold the
    ylops and polys not yet laid and the choices not yet tried. Ylops go first, anywhere on the
    board, each adding a layer; then the lowest needy cell must be the lowest cell of some poly,
    as a poly reaching it from below would cover a cell that needs nothing. A loop, as numba can't
    cache a function that calls itself.
    """
    planes = need.shape[1] - 3
    ylops_at, polys_at, choices_at = planes, planes + 1, planes + 2
    depth = 0
    need[0, ylops_at] = ylops
    need[0, polys_at] = polys
    need[0, choices_at] = polys if ylops == ZERO else anchors[_popcount(_lowest(ylops) - ONE)]
    while depth >= 0:
        choices = need[depth, choices_at]
        if choices == ZERO:
            depth -= 1
            continue
        pick = _lowest(choices)
        choices ^= pick
        ylops = need[depth, ylops_at]
        polys = need[depth, polys_at]
        if ylops != ZERO:
            need[depth, choices_at] = choices
            bit = _lowest(ylops)
            mask = shape[_popcount(bit - ONE)] * pick
            ylops ^= bit
            for k in range(planes):
                below = need[depth, k - 1] if k > 0 else ~ZERO
                need[depth + 1, k] = need[depth, k] | (below & mask)
        else:
            i = _popcount(pick - ONE)
            rest = choices
            while rest != ZERO:  # a twin laid here would end the same way: try only one
                twin = _lowest(rest)
                rest ^= twin
                if shape[_popcount(twin - ONE)] == shape[i]:
                    choices ^= twin
            need[depth, choices_at] = choices
            place = _lowest(need[depth, 0])
            mask = shape[i] * place
            own = mask & region
            cut = (own & (own << ONE) & cut_r) | (own & (own << stride) & cut_d)
            if anchors[i] & place == ZERO or mask & ~need[depth, 0] != ZERO or cut != ZERO:
                continue
            polys ^= pick
            for k in range(planes):
                above = need[depth, k + 1] if k + 1 < planes else ZERO
                need[depth + 1, k] = (need[depth, k] & ~mask) | (above & mask)
        depth += 1
        need[depth, ylops_at] = ylops
        need[depth, polys_at] = polys
        if ylops != ZERO:
            need[depth, choices_at] = anchors[_popcount(_lowest(ylops) - ONE)]
        elif need[depth, 0] != ZERO:
            need[depth, choices_at] = polys
        elif polys == ZERO:
            return True
        else:
            need[depth, choices_at] = ZERO
    return False


@njit(cache=True)
def _polys_fit(region, used_h, used_v, poly_cells, ylop_cells, shapes, need, memo, stride):
    """Rule 9 on one finished region; `shapes` is (home, shape, anchors, size) by symbol."""
    if region & (poly_cells | ylop_cells) == ZERO:
        return True
    slot = (region * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - MEMO_BITS)
    cut_r = region & (region << ONE) & used_v
    cut_d = region & (region << stride) & used_h
    whole = cut_r | cut_d == ZERO
    if whole and memo[slot, 0] == region:
        return memo[slot, 1] == ONE
    home, shape, anchors, size = shapes
    polys = ZERO
    ylops = ZERO
    net = 0
    for i in range(home.shape[0]):
        if home[i] & region != ZERO:
            if home[i] & ylop_cells != ZERO:
                ylops |= ONE << np.uint64(i)
                net -= size[i]
            else:
                polys |= ONE << np.uint64(i)
                net += size[i]
    if polys == ZERO or net < 0 or (net > 0 and np.uint64(net) != _popcount(region)):
        fits = False
    else:
        need[0, :] = ZERO
        if net > 0:
            need[0, 0] = region
        fits = _cover(need, ylops, polys, shape, anchors, region, cut_r, cut_d, stride)
    if whole:
        memo[slot, 0] = region
        memo[slot, 1] = ONE if fits else ZERO
    return fits


@njit(cache=True)
def _polys_may_fit(region, widest, shapes):
    """Whether polys may fill some set of cells between `region` and `widest`, no ylops about.

    The polys on `region` are in it, others on `widest` may be. Some choice of them must have an
    area in between; each in it must fit into `widest`; together they must reach all of `region`.
    """
    home, shape, anchors, size = shapes
    areas = ONE
    reached = ZERO
    for i in range(home.shape[0]):
        if home[i] & widest == ZERO:
            continue
        places = anchors[i]
        rest = shape[i]
        while rest != ZERO:
            cell = _lowest(rest)
            rest ^= cell
            places &= widest >> _popcount(cell - ONE)
        if home[i] & region != ZERO:
            if places == ZERO:
                return False
            areas <<= np.uint64(size[i])
        elif places != ZERO:
            areas |= areas << np.uint64(size[i])
        rest = shape[i]
        while rest != ZERO:
            cell = _lowest(rest)
            rest ^= cell
            reached |= places << _popcount(cell - ONE)
    areas &= ((ONE << _popcount(widest)) << ONE) - ONE
    return region & ~reached == ZERO and areas >> _popcount(region) != ZERO


@njit(cache=True)
def _judge(used_h, used_v, open_h, open_v, judged, board, tables, shapes, need, memo):
    """Whether triangles and regions can still come right, and the cells judged for good.

    `used_*` are edges on the line for certain, `open_*` those it may still take. With nothing open
    this is the full verdict on triangles, squares, stars and polyominoes.
    """
    stride, cells, poly_cells, ylop_cells, star_cells = board[:5]
    squares, stars, colored, triangles = tables

    # Triangles: sides drawn at most n, sides drawn or open at least n; all cells at once.
    for pass_ in range(2):
        a = used_h if pass_ == 0 else used_h | open_h
        b = a >> stride
        c = used_v if pass_ == 0 else used_v | open_v
        d = c >> ONE
        ab, cd = a & b, c & d
        some_ab, some_cd = a | b, c | d
        one = some_ab | some_cd
        two = ab | cd | (some_ab & some_cd)
        three = (ab & some_cd) | (cd & some_ab)
        four = ab & cd
        if pass_ == 0:
            wrong = (triangles[0] & two) | (triangles[1] & three) | (triangles[2] & four)
        else:
            wrong = (
                (triangles[0] & ~one)
                | (triangles[1] & ~two)
                | (triangles[2] & ~three)
                | (triangles[3] & ~four)
            )
        if wrong != ZERO:
            return False, judged

    across = cells & (cells << ONE)
    down = cells & (cells << stride)
    join_r = across & ~(used_v | open_v)
    join_d = down & ~(used_h | open_h)
    open_r = across & open_v
    open_d = down & open_h
    left = board[5] & ~judged
    while left != ZERO:
        region = _flood_cells(_lowest(left), join_r, join_d, stride)
        left &= ~region
        final = (
            ((region << ONE) | region) & open_r | ((region << stride) | region) & open_d
        ) == ZERO
        widest = region
        if not final and region & (star_cells | poly_cells) != ZERO:
            widest = _flood_cells(region, across & ~used_v, down & ~used_h, stride)
        square_colors = 0
        for color in range(NUM_COLORS):
            if squares[color] & region != ZERO:
                square_colors += 1
            if stars[color] & region != ZERO and (
                _popcount(colored[color] & region) > np.uint64(2)
                or _popcount(colored[color] & widest) < np.uint64(2)
            ):
                return False, judged
        if square_colors > 1:
            return False, judged
        if final:
            if not _polys_fit(
                region, used_h, used_v, poly_cells, ylop_cells, shapes, need, memo, stride
            ):
                return False, judged
            judged |= region
        elif ylop_cells == ZERO and region & poly_cells != ZERO:
            if not _polys_may_fit(region, widest, shapes):
                return False, judged
    return True, judged


@njit(cache=True, nogil=True)
def advance(control, stack, out, limit, max_moves, board, tables, shapes, need, memo):
    """Search on from where `control` and `stack` stand; stops when done or at a bound.

    Stops when the search is exhausted (`control[DEPTH] == -1`), at `max_moves` moves or `limit`
    solutions in all, or when `out` (node bits by depth, one row a solution, closed by 0) is full;
    returns the rows filled. An `out` without rows only counts.
    """
    stride = board[0]
    nodes, walk_h, walk_v, end_nodes, end_node = board[6], board[7], board[8], board[9], board[10]
    dot_nodes, dot_h, dot_v = board[11], board[12], board[13]
    rows = 0
    while control[DEPTH] >= 0:
        if control[MOVES] >= max_moves or control[FOUND] >= limit:
            break
        if rows and rows == out.shape[0]:
            break
        depth = control[DEPTH]
        untried = stack[depth, UNTRIED]
        if untried == ZERO:
            control[DEPTH] -= 1
            continue
        head = _lowest(untried)
        stack[depth, UNTRIED] ^= head
        used_h = stack[depth, USED_H]
        used_v = stack[depth, USED_V]
        before = stack[depth, HEAD]
        if depth == 0:  # the start itself, or an end of the edge it stands on: no edge drawn
            pass
        elif head == before << ONE:
            used_h |= before
        elif head << ONE == before:
            used_h |= head
        elif head == before << stride:
            used_v |= before
        else:
            used_v |= head
        control[MOVES] += 1
        visited = stack[depth, VISITED] | head
        judged = stack[depth, JUDGED]
        if head & end_nodes != ZERO:
            missed = (dot_nodes & ~visited) | (dot_h & ~used_h) | (dot_v & ~used_v)
            if missed == ZERO:
                solved, _ = _judge(
                    used_h, used_v, ZERO, ZERO, judged, board, tables, shapes, need, memo
                )
                if solved:
                    control[FOUND] += 1
                    if out.shape[0]:
                        for k in range(1, depth + 1):
                            out[rows, k - 1] = stack[k, HEAD]
                        out[rows, depth] = head
                        out[rows, depth + 1] = ZERO
                        rows += 1
            if head == end_node:
                continue

        free = nodes & ~visited
        reach = head
        while True:
            through = reach & ~end_node
            grown = reach | (
                free
                & (
                    ((through & walk_h) << ONE)
                    | ((through >> ONE) & walk_h)
                    | ((through & walk_v) << stride)
                    | ((through >> stride) & walk_v)
                )
            )
            if grown == reach:
                break
            reach = grown
        ahead = reach ^ head
        if ahead & end_nodes == ZERO:
            continue
        while True:  # drop blind alleys: a node is passed only by two of its edges
            right = (reach >> ONE) & walk_h
            left = (reach & walk_h) << ONE
            below = (reach >> stride) & walk_v
            above = (reach & walk_v) << stride
            two = (right & left) | (below & above) | ((right | left) & (below | above))
            kept = reach & (two | end_nodes | head)
            if kept == reach:
                break
            reach = kept
        ahead = reach ^ head
        open_h = walk_h & reach & (reach >> ONE)
        open_v = walk_v & reach & (reach >> stride)
        missed = (
            (dot_nodes & ~(visited | reach))
            | (dot_h & ~(used_h | open_h))
            | (dot_v & ~(used_v | open_v))
        )
        if missed != ZERO:
            continue
        viable, judged = _judge(
            used_h, used_v, open_h, open_v, judged, board, tables, shapes, need, memo
        )
        if not viable:
            continue
        near = ahead & (
            ((head & walk_h) << ONE)
            | ((head >> ONE) & walk_h)
            | ((head & walk_v) << stride)
            | ((head >> stride) & walk_v)
        )
        depth += 1
        control[DEPTH] = depth
        stack[depth, VISITED] = visited
        stack[depth, USED_H] = used_h
        stack[depth, USED_V] = used_v
        stack[depth, JUDGED] = judged
        stack[depth, HEAD] = head
        stack[depth, UNTRIED] = near
    return rows
