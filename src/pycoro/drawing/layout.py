"""Layered graph layout (Sugiyama): assign ranks, order nodes within ranks, assign coordinates, route edges.

Long edges run through waypoints, and edges of one kind to one node share theirs: a hundred edges from suspends to the cleanup
merge into one line. Back edges run along the side. The cost is linear in nodes, edges and waypoints for each of a fixed number
of sweeps.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

Point = tuple[float, float]

NODE_GAP = 26.0  # between boxes of a rank
LINE_GAP = 14.0  # between edges that cross a rank
RANK_GAP = 40.0
LANE_GAP = 12.0  # between back edges along the side
SWEEPS = 10


@dataclass(frozen=True)
class Edge:
    source: int
    target: int
    kind: str = ""


@dataclass(frozen=True)
class Route:
    """Line to draw through points, with an arrow at its last point if ``arrow``."""

    kind: str
    points: tuple[Point, ...]
    arrow: bool
    shape: str  # "down": curve; "side": straight with rounded corners; "loop": self edge


@dataclass
class Layout:
    boxes: list[tuple[float, float, float, float]] = field(
        default_factory=list[tuple[float, float, float, float]]
    )  # x, y, width, height, by node
    routes: list[Route] = field(default_factory=list[Route])
    width: float = 0.0
    height: float = 0.0


def reverse_postorder_and_back_edges(node_count: int, edges: Sequence[Edge], root: int) -> tuple[list[int], set[int]]:
    """Return the nodes in reverse post-order, unreachable ones last, and the back edges."""
    out: list[list[int]] = [[] for _ in range(node_count)]
    for number, edge in enumerate(edges):
        out[edge.source].append(number)
    state = [0] * node_count  # 0: new, 1: on the stack, 2: done
    back: set[int] = set()
    order: list[int] = []
    for start in [root, *range(node_count)]:
        if state[start]:
            continue
        finished: list[int] = []
        stack = [(start, iter(out[start]))]
        state[start] = 1
        while stack:
            node, rest = stack[-1]
            for number in rest:
                target = edges[number].target
                if state[target] == 1:
                    back.add(number)
                elif state[target] == 0:
                    state[target] = 1
                    stack.append((target, iter(out[target])))
                    break
            else:
                stack.pop()
                state[node] = 2
                finished.append(node)
        order += reversed(finished)
    return order, back


def _longest_path_ranks(order: Sequence[int], edges: Sequence[Edge], back: set[int]) -> list[int]:
    """Return the length of the longest path from a source to each node, without back edges."""
    position = {node: n for n, node in enumerate(order)}
    out: dict[int, list[int]] = {}
    into: dict[int, int] = {}
    for number, edge in enumerate(edges):
        if number not in back:
            out.setdefault(edge.source, []).append(edge.target)
            into[edge.target] = into.get(edge.target, 0) + 1
    rank = [0] * len(order)
    ready = [node for node in sorted(position, key=position.__getitem__) if not into.get(node)]
    while ready:
        node = ready.pop()
        for target in out.get(node, ()):
            rank[target] = max(rank[target], rank[node] + 1)
            into[target] -= 1
            if not into[target]:
                ready.append(target)
    return rank


class _RankedGraph:
    """Graph with waypoints, so that every link joins adjacent ranks."""

    def __init__(self, sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], rank: Sequence[int]):
        self.sizes = [*sizes]
        self.rank = [*rank]
        self.real = len(sizes)
        self.links: dict[tuple[int, int, str], bool] = {}  # (upper, lower, kind) -> whether it ends at a box
        self.waypoints: dict[tuple[int, str, int], int] = {}
        for edge in edges:
            self._add_links_through_waypoints(edge)
        self.down: list[list[int]] = [[] for _ in self.sizes]
        self.up: list[list[int]] = [[] for _ in self.sizes]
        for upper, lower, _ in self.links:
            self.down[upper].append(lower)
            self.up[lower].append(upper)

    def _add_links_through_waypoints(self, edge: Edge) -> None:
        at = edge.source
        for r in range(self.rank[edge.source] + 1, self.rank[edge.target]):
            key = (edge.target, edge.kind, r)
            known = key in self.waypoints
            if not known:
                self.waypoints[key] = len(self.sizes)
                self.sizes.append((0.0, 0.0))
                self.rank.append(r)
            self.links[at, self.waypoints[key], edge.kind] = False
            at = self.waypoints[key]
            if known:
                return
        self.links[at, edge.target, edge.kind] = True

    def is_waypoint(self, node: int) -> bool:
        return node >= self.real


def _count_crossings(layers: Sequence[Sequence[int]], graph: _RankedGraph) -> int:
    total = 0
    for upper, lower in itertools.pairwise(layers):
        position = {node: n for n, node in enumerate(lower)}
        seen: list[int] = []
        for node in upper:
            ends = sorted(position[target] for target in graph.down[node])
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _order_ranks(graph: _RankedGraph, first_order: Sequence[int]) -> list[list[int]]:
    """Order the nodes of each rank with few crossings by the barycenter heuristic, sweeping down and up."""
    layers: list[list[int]] = [[] for _ in range(max(graph.rank, default=0) + 1)]
    for node in [*first_order, *range(graph.real, len(graph.sizes))]:
        layers[graph.rank[node]].append(node)
    best, best_crossings = [list(layer) for layer in layers], _count_crossings(layers, graph)
    for sweep in range(SWEEPS):
        if not best_crossings:
            break
        downwards = sweep % 2 == 0
        neighbors = graph.up if downwards else graph.down
        for r in range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1):
            fixed = {node: n for n, node in enumerate(layers[r - 1 if downwards else r + 1])}
            here = {node: n for n, node in enumerate(layers[r])}
            center = {
                node: sum(fixed[m] for m in neighbors[node]) / len(neighbors[node]) if neighbors[node] else here[node]
                for node in layers[r]
            }
            layers[r].sort(key=lambda node: (center[node], here[node]))
        crossings = _count_crossings(layers, graph)
        if crossings < best_crossings:
            best, best_crossings = [list(layer) for layer in layers], crossings
    return best


def _closest_positions_with_gaps(targets: Sequence[float], weights: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Return the positions closest to ``targets`` (least squares) with at least gaps[i] between i - 1 and i."""
    offset = 0.0
    offsets: list[float] = []
    for gap in gaps:
        offset += gap
        offsets.append(offset)
    blocks: list[list[float]] = []  # [weight, weighted sum, members], pooled while out of order
    for want, weight, shift in zip(targets, weights, offsets, strict=True):
        blocks.append([weight, weight * (want - shift), 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] > blocks[-1][1] / blocks[-1][0]:
            weight_above, sum_above, members = blocks.pop()
            blocks[-1] = [blocks[-1][0] + weight_above, blocks[-1][1] + sum_above, blocks[-1][2] + members]
    places: list[float] = []
    for weight, total, members in blocks:
        places += [total / weight] * int(members)
    return [position + shift for position, shift in zip(places, offsets, strict=True)]


def _node_columns(graph: _RankedGraph, layers: Sequence[Sequence[int]]) -> list[float]:
    """Return the x coordinate of every node's center."""

    def gap(left: int, right: int) -> float:
        between = LINE_GAP if graph.is_waypoint(left) and graph.is_waypoint(right) else NODE_GAP
        return (graph.sizes[left][0] + graph.sizes[right][0]) / 2 + between

    gaps = [[0.0] + [gap(a, b) for a, b in itertools.pairwise(layer)] for layer in layers]
    x = [0.0] * len(graph.sizes)
    for layer, between in zip(layers, gaps, strict=True):
        half = sum(between) / 2
        for node, position in zip(
            layer, _closest_positions_with_gaps([-half] * len(layer), [1.0] * len(layer), between), strict=True
        ):
            x[node] = position

    def link_weight(a: int, b: int) -> float:
        """Return the weight of a link: long lines should be straight, and boxes below each other."""
        return (2.0, 0.1, 8.0)[graph.is_waypoint(a) + graph.is_waypoint(b)]

    def move_rank_towards_neighbors(r: int, sides: Sequence[list[list[int]]]) -> None:
        targets: list[float] = []
        weights: list[float] = []
        for node in layers[r]:
            near = [(m, link_weight(m, node)) for s in sides for m in s[node]]
            weight = sum(w for _, w in near)
            targets.append(sum(x[m] * w for m, w in near) / weight if near else x[node])
            weights.append(weight or 0.1)
        for node, position in zip(layers[r], _closest_positions_with_gaps(targets, weights, gaps[r]), strict=True):
            x[node] = position

    for _ in range(SWEEPS):
        for r in range(1, len(layers)):
            move_rank_towards_neighbors(r, (graph.up,))
        for r in range(len(layers) - 2, -1, -1):
            move_rank_towards_neighbors(r, (graph.down,))
    for _ in range(SWEEPS):
        for r in range(len(layers)):
            move_rank_towards_neighbors(r, (graph.up, graph.down))
    return x


def _port_positions(nodes: Sequence[int], x: Sequence[float], center: float, width: float) -> dict[int, float]:
    """Return the x coordinate where each line touches a box: spread around its center, ordered by the other ends."""
    distinct = sorted(set(nodes), key=lambda node: (x[node], node))
    step = min(16.0, width * 0.6 / max(len(distinct), 1))
    return {node: center + (n - (len(distinct) - 1) / 2) * step for n, node in enumerate(distinct)}


class _EdgeRouter:
    """Convert links and side edges into lines between placed nodes."""

    def __init__(self, graph: _RankedGraph, layers: Sequence[Sequence[int]], x: Sequence[float]):
        self.graph, self.x = graph, x
        self.top: list[float] = []
        self.bottom: list[float] = []
        y = 0.0
        for layer in layers:
            self.top.append(y)
            y += max((graph.sizes[node][1] for node in layer), default=0.0)
            self.bottom.append(y)
            y += RANK_GAP
        self.right = [max((x[n] + graph.sizes[n][0] / 2 for n in layer), default=0.0) for layer in layers]
        self.out = [self._x_of_edges_by_other_end(n, graph.down[n]) for n in range(len(graph.sizes))]
        self.into = [self._x_of_edges_by_other_end(n, graph.up[n]) for n in range(len(graph.sizes))]

    def _x_of_edges_by_other_end(self, node: int, others: Sequence[int]) -> dict[int, float]:
        if self.graph.is_waypoint(node):
            return dict.fromkeys(others, self.x[node])
        return _port_positions(others, self.x, self.x[node], self.graph.sizes[node][0])

    def _middle_y(self, node: int) -> float:
        return (self.top[self.graph.rank[node]] + self.bottom[self.graph.rank[node]]) / 2

    def box(self, node: int) -> tuple[float, float, float, float]:
        width, height = self.graph.sizes[node]
        return (self.x[node] - width / 2, self._middle_y(node) - height / 2, width, height)

    def route_link(self, upper: int, lower: int, kind: str, arrow: bool) -> Route:
        """Route a link to the next rank; a waypoint is crossed from top to bottom."""
        r = self.graph.rank[upper]
        points: list[Point] = []
        if not self.graph.is_waypoint(upper):
            points.append((self.out[upper][lower], self.box(upper)[1] + self.graph.sizes[upper][1]))
        points.append((self.out[upper][lower], self.bottom[r]))
        points.append((self.into[lower][upper], self.top[r + 1]))
        if self.graph.is_waypoint(lower):
            points.append((self.x[lower], self.bottom[r + 1]))
        else:
            points.append((self.into[lower][upper], self.box(lower)[1]))
        return Route(kind, tuple(points), arrow, "down")

    def route_back_edges(self, edges: Sequence[Edge]) -> list[Route]:
        """Route back edges in lanes right of everything that they pass, short ones innermost, one lane per target."""
        rank = self.graph.rank
        lanes: list[tuple[int, int, float]] = []
        lane_of: dict[tuple[int, str], float] = {}
        spans: dict[tuple[int, str], int] = {}
        for e in edges:
            spans[e.target, e.kind] = max(spans.get((e.target, e.kind), 0), rank[e.source])
        for key, low in sorted(spans.items(), key=lambda item: (item[1] - rank[item[0][0]], item[0])):
            high = rank[key[0]]
            at = max(self.right[high : low + 1]) + LANE_GAP
            taken = [x for a, b, x in lanes if a <= low and high <= b]
            at = max([at, *(x + LANE_GAP for x in taken)])
            lanes.append((high, low, at))
            lane_of[key] = at
        routes: list[Route] = []
        for e in edges:
            lane = lane_of[e.target, e.kind]
            start, end = (
                self.x[e.source] + 0.38 * self._node_width(e.source),
                self.x[e.target] + 0.38 * self._node_width(e.target),
            )
            below, above = self.bottom[rank[e.source]] + 9, self.top[rank[e.target]] - 13
            _, y_source, _, height = self.box(e.source)
            points = [(start, y_source + height), (start, below), (lane, below), (lane, above)]
            points += [(end, above), (end, self.box(e.target)[1])]
            routes.append(Route(e.kind, tuple(points), True, "side"))
        return routes

    def _node_width(self, node: int) -> float:
        return self.graph.sizes[node][0]

    def route_self_loop(self, edge: Edge) -> Route:
        x, y, width, height = self.box(edge.source)
        right = x + width
        points = ((right, y + 0.7 * height), (right + 18, y + 0.5 * height), (right, y + 0.3 * height))
        return Route(edge.kind, points, True, "loop")


def layered_layout(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], root: int = 0) -> Layout:
    """Place boxes of the given (width, height) so that edges run downwards from `root`."""
    if not sizes:
        return Layout()
    order, back = reverse_postorder_and_back_edges(len(sizes), edges, root)
    rank = _longest_path_ranks(order, edges, back)
    forward = [e for n, e in enumerate(edges) if n not in back]
    graph = _RankedGraph(sizes, forward, rank)
    layers = _order_ranks(graph, order)
    router = _EdgeRouter(graph, layers, _node_columns(graph, layers))
    side = sorted({e for n, e in enumerate(edges) if n in back}, key=lambda e: (e.source, e.target, e.kind))
    routes = [router.route_link(upper, lower, kind, arrow) for (upper, lower, kind), arrow in graph.links.items()]
    routes += router.route_back_edges([e for e in side if e.source != e.target])
    routes += [router.route_self_loop(e) for e in side if e.source == e.target]
    return _at_origin([router.box(node) for node in range(graph.real)], routes)


def _at_origin(boxes: list[tuple[float, float, float, float]], routes: list[Route]) -> Layout:
    xs = [x for x, _, _, _ in boxes] + [x + w for x, _, w, _ in boxes] + [x for r in routes for x, _ in r.points]
    ys = [y for _, y, _, _ in boxes] + [y + h for _, y, _, h in boxes] + [y for r in routes for _, y in r.points]
    left, top = min(xs), min(ys)
    moved = [Route(r.kind, tuple((round(x - left, 1), round(y - top, 1)) for x, y in r.points), r.arrow, r.shape) for r in routes]
    placed = [(round(x - left, 1), round(y - top, 1), w, h) for x, y, w, h in boxes]
    return Layout(placed, moved, max(xs) - left, max(ys) - top)
