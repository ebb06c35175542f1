"""Draw a coroutine's control flow graph in layers, with suspends highlighted and resume and destroy edges colored."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from pycoro.drawing.layout import Edge, Layout, Point, Route, layered_layout, reverse_postorder_and_back_edges
from pycoro.drawing.model import CoroutineView, SuspendView, display_name
from pycoro.drawing.svg import DASHES, Drawing, arrow_head_path, number, text_width
from pycoro.drawing.text import count, shorten

BLOCKS = 160  # maximum drawn; larger graphs have blocks without suspends folded and their tail omitted
OTHERS, OTHERS_OF_SUSPEND = 12, 2  # boxes without suspends that are drawn in any case: in all, and for each suspend
LEFT, TOP = 20.0, 66.0
NAME = 26
CODE = 44  # characters of an instruction in a box
TIP_LINES, ALL_TIP_LINES = 40, 1600  # maximum instructions in the tooltip of a box, and in all


@dataclass
class Node:
    """Box for a block, or for blocks without suspends that are only entered through the first."""

    name: str
    blocks: list[int]
    suspends: list[SuspendView] = field(default_factory=list[SuspendView])
    note: str = ""
    ends: tuple[str, ...] = ()
    """First and last instruction, if shown."""

    @property
    def style(self) -> str:
        if any(s.is_final for s in self.suspends):
            return "final"
        return "suspend" if self.suspends else "block"

    @property
    def suspend_labels(self) -> list[str]:
        return [f"{s.title}, line {s.line}" if s.line else s.title for s in self.suspends]

    @property
    def lines(self) -> list[str]:
        notes = self.suspend_labels
        if len(self.blocks) > 1:
            notes.append(count(len(self.blocks), "block"))
        return [shorten(self.name, NAME), *notes, *([self.note] if self.note else []), *self.ends]

    @property
    def size(self) -> tuple[float, float]:
        first, *rest = self.lines
        width = max(text_width(first, 12), *(text_width(line, 10.5) for line in rest), 24.0) if rest else text_width(first)
        return (max(width, 24.0) + 22, 26.0 + 14 * len(rest))

    @property
    def short_label(self) -> str:
        """The suspends of the box, else its name."""
        return ", ".join(self.suspend_labels) or shorten(self.name, NAME)

    @property
    def small_size(self) -> tuple[float, float]:
        return (text_width(self.short_label, 10.5) + 12, 18.0)


def edge_kinds(coroutine: CoroutineView) -> dict[tuple[int, int], str]:
    """Return the kind of each edge out of a suspend ("resume", "destroy" or "suspend"); other edges are absent."""
    places = {b.name: b.number for b in coroutine.blocks}
    kinds: dict[tuple[int, int], str] = {}
    for s in coroutine.suspends:
        if s.resume_block == s.block and not s.destroy_block and s.block in places:  # retcon: the ramp returns here
            kinds |= {(places[s.block], target): "resume" for target in coroutine.blocks[places[s.block]].successors}
            continue
        for kind, target in (("suspend", s.suspend_block), ("destroy", s.destroy_block), ("resume", s.resume_block)):
            if s.block in places and target in places:
                kinds[places[s.block], places[target]] = kind
    return kinds


def _nodes_and_edges(coroutine: CoroutineView) -> tuple[list[Node], list[Edge]]:
    nodes = [Node("%" + b.name, [b.number]) for b in coroutine.blocks]
    places = {b.name: b.number for b in coroutine.blocks}
    for s in coroutine.suspends:
        if s.block in places:
            nodes[places[s.block]].suspends.append(s)
        if s.save_block != s.block and s.save_block in places:
            nodes[places[s.save_block]].note = f"saves for {s.label}"
    kinds = edge_kinds(coroutine)
    edges = {Edge(b.number, t, kinds.get((b.number, t), "")): None for b in coroutine.blocks for t in b.successors}
    return nodes, list(edges)


def _merge_blocks_without_suspends(nodes: list[Node], edges: list[Edge], *, branches: bool) -> tuple[list[Node], list[Edge]]:
    """Merge a block without suspends into the box of its predecessors, if all are in one box.

    These are the chains of blocks, and with ``branches`` also single-entry regions, as in interval analysis.
    """
    out = [0] * len(nodes)
    into: list[list[int]] = [[] for _ in nodes]
    for e in edges:
        out[e.source] += 1
        into[e.target].append(e.source)
    plain = [not n.suspends and not n.note for n in nodes]
    head: dict[int, int] = {}
    for n in reverse_postorder_and_back_edges(len(nodes), edges, 0)[0]:
        heads = {head.get(source, -1) for source in into[n]}
        follows = n != 0 and plain[n] and len(heads) == 1 and (branches or (len(into[n]) == 1 and out[into[n][0]] == 1))
        first = heads.pop() if follows else -1
        if first < 0 or not plain[first]:
            head[n] = n
        else:
            head[n] = first
            nodes[first].blocks += nodes[n].blocks
    heads_in_order = [n for n in range(len(nodes)) if head[n] == n]
    new_number = {n: new for new, n in enumerate(heads_in_order)}
    folded = {
        Edge(new_number[head[e.source]], new_number[head[e.target]], e.kind): None for e in edges if head[e.target] == e.target
    }
    return [nodes[n] for n in heads_in_order], list(folded)


def _replace_pass_through_nodes_by_edges(nodes: list[Node], edges: list[Edge]) -> tuple[list[Node], list[Edge]]:
    """Replace boxes without suspends that have one predecessor and one successor by edges of the incoming kind."""
    out: list[list[Edge]] = [[] for _ in nodes]
    into: list[list[Edge]] = [[] for _ in nodes]
    for e in edges:
        out[e.source].append(e)
        into[e.target].append(e)
    replaced = {
        n
        for n, node in enumerate(nodes)
        if n and not node.suspends and not node.note and len(out[n]) == len(into[n]) == 1 and out[n][0].target != n
    }

    def target_of(edge: Edge) -> int:
        passed = {edge.target}
        at = edge.target
        while at in replaced and out[at][0].target not in passed:
            at = out[at][0].target
            passed.add(at)
        return at

    remaining = [n for n in range(len(nodes)) if n not in replaced]
    new_number = {n: new for new, n in enumerate(remaining)}
    drawn = {(e.source, target_of(e), e.kind): None for e in edges if e.source in new_number}
    return [nodes[n] for n in remaining], [Edge(new_number[source], new_number[target], kind) for source, target, kind in drawn]


def _keep_suspends_and_nearest_nodes(nodes: list[Node], edges: list[Edge], max_nodes: int) -> tuple[list[Node], list[Edge]]:
    """Keep all blocks with suspends, and the other boxes nearest to the entry; one box represents the rest."""
    if len(nodes) <= max_nodes:
        return nodes, edges
    order, _ = reverse_postorder_and_back_edges(len(nodes), edges, 0)
    distance = {0: 0}
    out: dict[int, list[int]] = {}
    for e in edges:
        out.setdefault(e.source, []).append(e.target)
    queue = [0]
    for node in queue:
        for target in out.get(node, ()):
            if target not in distance:
                distance[target] = distance[node] + 1
                queue.append(target)
    by_distance = queue + [n for n in order if n not in distance]
    suspending = [n for n in by_distance if nodes[n].suspends]
    least = OTHERS + OTHERS_OF_SUSPEND * len(suspending) if suspending else 0
    most_others = max(max_nodes - 1 - len(suspending), least)
    others = [n for n in by_distance if not nodes[n].suspends][:most_others]
    kept = {*suspending, *others, 0}
    new_number = {n: new for new, n in enumerate(n for n in by_distance if n in kept)}
    rest = len(new_number)
    lost = [n for n in range(len(nodes)) if n not in new_number]
    drawn: dict[Edge, None] = {}
    for e in edges:
        if e.source in new_number or e.target in new_number:
            known = e.source in new_number and e.target in new_number
            drawn[Edge(new_number.get(e.source, rest), new_number.get(e.target, rest), e.kind if known else "")] = None
    if not lost:
        return nodes, edges
    box = Node(f"… {count(sum(len(nodes[n].blocks) for n in lost), 'more block')}", [])
    return [*(nodes[n] for n in new_number), box], list(drawn)


def graph_folded_if_large(coroutine: CoroutineView, most: int = BLOCKS) -> tuple[list[Node], list[Edge]]:
    """Return the graph with all blocks if there are at most ``most``, else folded as far as needed, with one box for the blocks far
    from the entry. It is larger than ``most`` if the blocks with suspends need that.

    Every block with a suspend stays a box of its own.
    """
    nodes, edges = _nodes_and_edges(coroutine)
    for branches in (False, True):
        if len(nodes) > most:
            nodes, edges = _merge_blocks_without_suspends(nodes, edges, branches=branches)
    if len(nodes) > most:
        nodes, edges = _replace_pass_through_nodes_by_edges(nodes, edges)
    return _keep_suspends_and_nearest_nodes(nodes, edges, most)


def _curve_path(points: tuple[Point, ...]) -> str:
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if abs(x1 - x2) < 0.3:
            parts.append(f"V{number(y2)}")
        else:
            half = (y2 - y1) * 0.55
            parts.append(f"C{number(x1)} {number(y1 + half)} {number(x2)} {number(y2 - half)} {number(x2)} {number(y2)}")
    return "".join(parts)


def _rounded_path(points: tuple[Point, ...], radius: float = 6.0) -> str:
    """Return straight segments with rounded corners."""
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        for other, letter in ((before, "L"), (after, "Q")):
            dx, dy = other[0] - corner[0], other[1] - corner[1]
            length = abs(dx) + abs(dy)
            cut = min(radius, length / 2) / length if length else 0.0
            x, y = number(corner[0] + dx * cut), number(corner[1] + dy * cut)
            parts.append(f"L{x} {y}" if letter == "L" else f"Q{number(corner[0])} {number(corner[1])} {x} {y}")
    parts.append(f"L{number(points[-1][0])} {number(points[-1][1])}")
    return "".join(parts)


def route_path(route: Route, left: float, top: float) -> tuple[str, Point]:
    """Return an edge as SVG path data, and the tip of its arrow."""
    points = tuple((x + left, y + top) for x, y in route.points)
    x, y = points[-1]
    if route.shape == "loop":
        (x1, y1), (x2, _), (x3, y3) = points
        data = f"M{number(x1)} {number(y1)}C{number(x2)} {number(y1 + 4)} {number(x2)} {number(y3 - 4)}"
        return f"{data} {number(x3 + 5)} {number(y3)}", (x, y)
    if route.arrow:
        points = (*points[:-1], (x, y - 6))
    return (_rounded_path if route.shape == "side" else _curve_path)(points), (x, y)


def _short_path(points: tuple[Point, ...]) -> str:
    """Return straight segments between integers, in few bytes."""
    rounded = [point for point, _ in itertools.groupby((round(x), round(y)) for x, y in points)]
    parts = [f"M{rounded[0][0]} {rounded[0][1]}"]
    for n, ((x1, _), (x2, y2)) in enumerate(itertools.pairwise(rounded), 2):
        if x1 != x2:
            parts.append(f"L{x2} {y2}")
        elif n == len(rounded) or rounded[n][0] != x2:  # else the next segment is vertical, too
            parts.append(f"V{y2}")
    return "".join(parts)


def _styles_attributes_and_paths(
    route: Route, left: float = LEFT, top: float = TOP, *, small: bool = False
) -> list[tuple[str, str, str]]:
    """Return the line and the arrow head of a route: style, further attributes, path data."""
    suffix = f"-{route.kind}" if route.kind else ""
    extra = f'stroke-width="{"1.6" if route.kind in ("resume", "destroy") else "1.2"}"'
    if route.kind in DASHES:
        extra += f" {DASHES[route.kind]}"
    data, (x, y) = route_path(route, left, top)
    if small:
        data = _short_path(tuple((x + left, y + top) for x, y in route.points))
        x, y = round(x), round(y)
    head = [("head" + suffix, "", arrow_head_path(x, y, left=route.shape == "loop"))] if route.arrow else []
    return [("line" + suffix, extra, data), *head]


def draw_route(d: Drawing, route: Route, left: float = LEFT, top: float = TOP) -> None:
    for style, extra, data in _styles_attributes_and_paths(route, left, top):
        d.path(data, style, extra=extra)


def _draw_graph(d: Drawing, nodes: list[Node], layout: Layout, coroutine: CoroutineView) -> None:
    for route in layout.routes:
        draw_route(d, route)
    tip_lines = min(TIP_LINES, ALL_TIP_LINES // max(len(nodes), 1))
    for node, (x, y, w, h) in zip(nodes, layout.boxes, strict=True):
        tip = _node_tooltip(node, coroutine, tip_lines)
        d.rect(x + LEFT, y + TOP, w, h, node.style, round_=13.0 if node.style == "block" else 5.0, tip=tip)
        first, *rest = node.lines
        d.text(x + LEFT + w / 2, y + TOP + 13, first, anchor="middle", bold=bool(node.suspends))
        for n, line in enumerate(rest):
            d.text(x + LEFT + w / 2, y + TOP + 28 + 14 * n, line, "muted", anchor="middle", size=10.5)


def _draw_small_graph(d: Drawing, nodes: list[Node], layout: Layout) -> None:
    """Draw a graph of very many boxes in few bytes: shapes of one style share their attributes, and boxes have one line."""
    paths: dict[tuple[str, str], list[str]] = {}
    for route in layout.routes:
        for style, extra, data in _styles_attributes_and_paths(route, small=True):
            paths.setdefault((style, extra), []).append(data)
    for (style, extra), parts in paths.items():
        d.path("".join(parts), style, extra=extra)
    rects: dict[str, list[tuple[float, float, float, float, str]]] = {}
    texts: list[tuple[float, float, str]] = []
    for node, (x, y, w, h) in zip(nodes, layout.boxes, strict=True):
        rects.setdefault(node.style, []).append((round(x + LEFT), y + TOP, round(w), h, node.name))
        texts.append((round(x + LEFT + w / 2), y + TOP + h / 2, node.short_label))
    for style, boxes in rects.items():
        d.rects_of_one_style(boxes, style)
    d.texts_of_one_style(texts, "text", size=10.5)


def _node_tooltip(node: Node, coroutine: CoroutineView, most_lines: int) -> str:
    lines = [node.name]
    if len(node.blocks) > 1:
        lines.append(f"and the {count(len(node.blocks) - 1, 'block')} after it")
    for s in node.suspends:
        names = ", ".join(f.label for f in coroutine.frame.live_at(s.number))
        lines.append(f"{s.title}: keeps {names or 'nothing'}")
    code = [line for number in node.blocks for line in coroutine.blocks[number].instructions]
    lines += [shorten(line, 100) for line in code[:most_lines]] + (
        [f"… {count(len(code) - most_lines, 'more instruction')}"] * (len(code) > most_lines)
    )
    return "\n".join(lines)


def _first_and_last_instruction_with_count(node: Node, coroutine: CoroutineView) -> tuple[str, ...]:
    """Return the first and last instruction and the number between them."""
    code = [line for number in node.blocks for line in coroutine.blocks[number].instructions]
    between = [f"… {len(code) - 2} more"] if len(code) > 2 else []
    return tuple(shorten(line, CODE) for line in (*code[:1], *between, *(code[-1:] if len(code) > 1 else ())))


def cfg_picture(coroutine: CoroutineView, most: int = BLOCKS, *, instructions: bool = False) -> str:
    d = Drawing(f"Control flow of {display_name(coroutine.name)}")
    title = shorten(display_name(coroutine.name), 60)
    about = f"{count(len(coroutine.blocks), 'block')}, {count(len(coroutine.suspends), 'suspend point')}"
    nodes, edges = graph_folded_if_large(coroutine, most)
    if len(nodes) < len(coroutine.blocks):
        about += "; blocks without suspends are folded" + (", some left out" if nodes[-1].blocks == [] else "")
    d.text(16, 24, title, size=14, bold=True)
    d.text(16, 44, about, "muted", size=11)
    if instructions:
        for node in nodes:
            node.ends = _first_and_last_instruction_with_count(node, coroutine)
    small = len(nodes) > most  # because of the suspends, which are all drawn
    layout = layered_layout([node.small_size if small else node.size for node in nodes], edges)
    if small:
        _draw_small_graph(d, nodes, layout)
    else:
        _draw_graph(d, nodes, layout, coroutine)
    kinds = {r.kind for r in layout.routes}
    names = {"resume": "on resume", "destroy": "on destroy", "suspend": "back to the caller"}
    y = TOP + layout.height + 28
    right = max(LEFT + layout.width + 8, text_width(title, 14) + 24, text_width(about, 11) + 24)
    end, y = d.legend(16, y, [(f"line-{kind}", name) for kind, name in names.items() if kind in kinds], right)
    return d.finish(max(right, end) + 16, y + 18)
