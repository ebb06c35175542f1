"""Draw a coroutine's control flow graph in layers, with suspends highlighted and resume and destroy edges colored."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from pycoro.drawing.layout import Edge, Point, Route, depth_first, layered_layout
from pycoro.drawing.model import CoroutineView, SuspendView, display_name
from pycoro.drawing.svg import DASHES, Drawing, number, text_width
from pycoro.drawing.text import count, shorten

BLOCKS = 160  # maximum drawn; larger graphs have chains folded and their tail omitted
SUSPENDS = 24  # blocks with suspends that every picture draws; the last box counts the suspends beyond the limit
OTHERS = 6  # minimum of other blocks drawn beside them
LEFT, TOP = 20.0, 66.0
NAME = 26
CODE = 44  # characters of an instruction in a box
TIP_LINES = 40  # instructions in the tooltip of a box


@dataclass
class Node:
    """Box for a block, or for a chain of blocks without branches."""

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
    def lines(self) -> list[str]:
        notes = [f"{s.title}, line {s.line}" if s.line else s.title for s in self.suspends]
        if len(self.blocks) > 1:
            notes.append(count(len(self.blocks), "block"))
        return [shorten(self.name, NAME), *notes, *([self.note] if self.note else []), *self.ends]

    @property
    def size(self) -> tuple[float, float]:
        first, *rest = self.lines
        width = max(text_width(first, 12), *(text_width(line, 10.5) for line in rest), 24.0) if rest else text_width(first)
        return (max(width, 24.0) + 22, 26.0 + 14 * len(rest))


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


def _fold_chains(nodes: list[Node], edges: list[Edge]) -> tuple[list[Node], list[Edge]]:
    """Merge chains of blocks without suspends into one box."""
    out, into = [0] * len(nodes), [0] * len(nodes)
    for e in edges:
        out[e.source] += 1
        into[e.target] += 1
    plain = [not n.suspends and not n.note for n in nodes]
    head = list(range(len(nodes)))
    following = {
        e.source: e.target
        for e in edges
        if out[e.source] == 1 and into[e.target] == 1 and plain[e.source] and plain[e.target] and e.target != 0
    }
    followers = set(following.values())
    for start in range(len(nodes)):
        if start in followers:
            continue
        at = start
        while at in following:
            at = following[at]
            head[at] = start
            nodes[start].blocks += nodes[at].blocks
    heads = [n for n in range(len(nodes)) if head[n] == n]
    new_number = {n: new for new, n in enumerate(heads)}
    folded = {
        Edge(new_number[head[e.source]], new_number[head[e.target]], e.kind): None for e in edges if head[e.target] == e.target
    }
    return [nodes[n] for n in heads], list(folded)


def _keep_nearest_nodes(nodes: list[Node], edges: list[Edge], most: int) -> tuple[list[Node], list[Edge]]:
    """Keep the blocks with suspends, and the nodes nearest to the entry; one box represents the rest."""
    if len(nodes) <= most:
        return nodes, edges
    order, _ = depth_first(len(nodes), edges, 0)
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
    suspending = [n for n in by_distance if nodes[n].suspends][: max(most, SUSPENDS)]
    others = [n for n in by_distance if not nodes[n].suspends][: max(most - 1 - len(suspending), OTHERS)]
    kept = {*suspending, *others, 0}
    new_number = {n: new for new, n in enumerate(n for n in by_distance if n in kept)}
    rest = len(new_number)
    lost = [n for n in range(len(nodes)) if n not in new_number]
    drawn: dict[Edge, None] = {}
    for e in edges:
        if e.source in new_number or e.target in new_number:
            known = e.source in new_number and e.target in new_number
            drawn[Edge(new_number.get(e.source, rest), new_number.get(e.target, rest), e.kind if known else "")] = None
    box = Node(f"… {sum(len(nodes[n].blocks) for n in lost)} more blocks", [])
    hidden = sum(len(nodes[n].suspends) for n in lost)
    box.note = f"with {count(hidden, 'suspend point')}" if hidden else ""
    return [*(nodes[n] for n in new_number), box], list(drawn)


def readable_graph(coroutine: CoroutineView, most: int = BLOCKS) -> tuple[list[Node], list[Edge]]:
    """Return the graph with all blocks if there are at most ``most``, else folded and truncated."""
    nodes, edges = _nodes_and_edges(coroutine)
    if len(nodes) > most:
        nodes, edges = _keep_nearest_nodes(*_fold_chains(nodes, edges), most)
    return nodes, edges


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


def draw_route(d: Drawing, route: Route, left: float, top: float) -> None:
    suffix = f"-{route.kind}" if route.kind else ""
    extra = f'stroke-width="{"1.6" if route.kind in ("resume", "destroy") else "1.2"}"'
    if route.kind in DASHES:
        extra += f" {DASHES[route.kind]}"
    data, (x, y) = route_path(route, left, top)
    d.path(data, "line" + suffix, extra=extra)
    if route.arrow:
        d.arrow_head(x, y, "head" + suffix, left=route.shape == "loop")


def _node_tooltip(node: Node, coroutine: CoroutineView) -> str:
    lines = [node.name]
    if len(node.blocks) > 1:
        lines.append(f"and the {count(len(node.blocks) - 1, 'block')} after it")
    for s in node.suspends:
        names = ", ".join(f.label for f in coroutine.frame.live_at(s.number))
        lines.append(f"{s.title}: keeps {names or 'nothing'}")
    code = [line for number in node.blocks for line in coroutine.blocks[number].instructions]
    lines += [shorten(line, 100) for line in code[:TIP_LINES]] + (
        [f"… {count(len(code) - TIP_LINES, 'more instruction')}"] * (len(code) > TIP_LINES)
    )
    return "\n".join(lines)


def _first_and_last_instruction(node: Node, coroutine: CoroutineView) -> tuple[str, ...]:
    """Return the first and last instruction and the number between them."""
    code = [line for number in node.blocks for line in coroutine.blocks[number].instructions]
    between = [f"… {len(code) - 2} more"] if len(code) > 2 else []
    return tuple(shorten(line, CODE) for line in (*code[:1], *between, *(code[-1:] if len(code) > 1 else ())))


def cfg_picture(coroutine: CoroutineView, most: int = BLOCKS, *, instructions: bool = False) -> str:
    d = Drawing(f"Control flow of {display_name(coroutine.name)}")
    title = shorten(display_name(coroutine.name), 60)
    about = f"{count(len(coroutine.blocks), 'block')}, {count(len(coroutine.suspends), 'suspend point')}"
    nodes, edges = readable_graph(coroutine, most)
    if len(nodes) < len(coroutine.blocks):
        about += "; chains of blocks folded, the far end left out" if nodes[-1].blocks == [] else "; chains of blocks folded"
    d.text(16, 24, title, size=14, bold=True)
    d.text(16, 44, about, "muted", size=11)
    if instructions:
        for node in nodes:
            node.ends = _first_and_last_instruction(node, coroutine)
    layout = layered_layout([node.size for node in nodes], edges)
    for route in layout.routes:
        draw_route(d, route, LEFT, TOP)
    for node, (x, y, w, h) in zip(nodes, layout.boxes, strict=True):
        round_ = 13.0 if node.style == "block" else 5.0
        d.rect(x + LEFT, y + TOP, w, h, node.style, round_=round_, tip=_node_tooltip(node, coroutine))
        first, *rest = node.lines
        d.text(x + LEFT + w / 2, y + TOP + 13, first, anchor="middle", bold=bool(node.suspends))
        for n, line in enumerate(rest):
            d.text(x + LEFT + w / 2, y + TOP + 28 + 14 * n, line, "muted", anchor="middle", size=10.5)
    kinds = {r.kind for r in layout.routes}
    names = {"resume": "on resume", "destroy": "on destroy", "suspend": "back to the caller"}
    y = TOP + layout.height + 28
    right = max(LEFT + layout.width + 8, text_width(title, 14) + 24, text_width(about, 11) + 24)
    end, y = d.legend(16, y, [(f"line-{kind}", name) for kind, name in names.items() if kind in kinds], right)
    return d.finish(max(right, end) + 16, y + 18)
