"""The layered layout on small graphs and random ones."""

from __future__ import annotations

import random

import pytest

from pycoro.drawing.layout import Edge, layered_layout

SIZE = (60.0, 26.0)


def place(node_count, pairs):
    return layered_layout([SIZE] * node_count, [Edge(a, b) for a, b in pairs])


def middle(layout, node):
    x, y, w, h = layout.boxes[node]
    return x + w / 2, y + h / 2


def test_an_empty_graph_has_an_empty_layout():
    assert layered_layout([], []).boxes == []


def test_edges_run_down():
    layout = place(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    ys = [middle(layout, n)[1] for n in range(4)]
    assert ys[0] < ys[1] == ys[2] < ys[3]


def test_a_diamond_is_symmetric():
    layout = place(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    xs = [middle(layout, n)[0] for n in range(4)]
    assert xs[0] == pytest.approx(xs[3], abs=1) == pytest.approx((xs[1] + xs[2]) / 2, abs=1)


def test_crossing_edges_are_uncrossed():
    layout = place(5, [(0, 1), (0, 2), (1, 4), (2, 3)])
    left_to_right = middle(layout, 1)[0] < middle(layout, 2)[0]
    assert left_to_right == (middle(layout, 4)[0] < middle(layout, 3)[0])


def test_back_edges_run_along_the_side():
    layout = place(3, [(0, 1), (1, 2), (2, 1)])
    (side,) = [r for r in layout.routes if r.shape == "side"]
    right = max(x + w for x, _, w, _ in layout.boxes)
    assert max(x for x, _ in side.points) > right
    assert side.points[-1][1] == layout.boxes[1][1] and side.arrow


def test_an_edge_to_itself_stays_at_its_box():
    layout = place(2, [(0, 0), (0, 1)])
    (loop,) = [r for r in layout.routes if r.shape == "loop"]
    x, y, w, h = layout.boxes[0]
    assert all(x + w <= px and y <= py <= y + h for px, py in loop.points)


def test_long_edges_to_one_target_share_a_route():
    rows = 30
    pairs = [(n, n + 1) for n in range(rows)] + [(n, rows + 1) for n in range(rows + 1)]
    layout = place(rows + 2, pairs)
    assert len(layout.routes) < 4 * rows  # not rows * rows / 2


@pytest.mark.parametrize("seed", range(30))
def test_boxes_never_overlap_and_every_edge_arrives(seed):
    draw = random.Random(seed)
    node_count = draw.randrange(1, 40)
    pairs = {(draw.randrange(node_count), draw.randrange(node_count)) for _ in range(draw.randrange(3 * node_count))}
    layout = place(node_count, sorted(pairs))
    for a in range(node_count):
        for b in range(a):
            ax, ay, aw, ah = layout.boxes[a]
            bx, by, bw, bh = layout.boxes[b]
            assert ax + aw <= bx or bx + bw <= ax or ay + ah <= by or by + bh <= ay
    ends = [r.points[-1] for r in layout.routes if r.arrow]
    for target in {b for _, b in pairs}:
        x, y, w, h = layout.boxes[target]
        assert any(x <= px <= x + w + 18 and y <= py <= y + h for px, py in ends)
    for x, y in (p for r in layout.routes for p in r.points):
        assert -0.1 <= x <= layout.width + 0.1 and -0.1 <= y <= layout.height + 0.1


def test_the_same_graph_gives_the_same_picture():
    pairs = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (0, 5), (5, 4)]
    assert place(6, pairs) == place(6, pairs)
