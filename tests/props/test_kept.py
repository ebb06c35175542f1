"""The spilled values of a frame, compared with every possible choice: small graphs of sums, each in a coroutine."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

import pycoro

WORD, HEADER, STEPS = 8, 16, 4
"""Bytes, and the longest chain to rematerialize."""
GRAPHS = 60

COROUTINE = """
define ptr @f({parameters}) presplitcoroutine {{
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @allocate()
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
{sums}
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
{uses}
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
declare ptr @allocate()
declare void @use(i64)
"""


class Graph:
    """Values below `given` are parameters; each other value is a sum of its operands, or of one and a constant."""

    def __init__(self, seed: int, given: int) -> None:
        drawn = random.Random(seed)
        self.given = given
        self.of: list[tuple[int, ...]] = [()] * given
        for value in range(given, given + drawn.randint(1, 6)):
            self.of.append(tuple(drawn.randrange(value) for _ in range(drawn.randint(1, 2 if given > 1 else 1))))
        values = range(len(self.of))
        self.used = sorted(drawn.sample(values, drawn.randint(1, len(values))))

    def text(self) -> str:
        sums = [
            f"  %v{value} = add i64 %v{of[0]}, {f'%v{of[1]}' if len(of) > 1 else value}"
            for value, of in enumerate(self.of)
            if value >= self.given
        ]
        return COROUTINE.format(
            parameters=", ".join(f"i64 %v{value}" for value in range(self.given)),
            sums="\n".join(sums),
            uses="\n".join(f"  call void @use(i64 %v{value})" for value in self.used),
        )

    def steps(self, value: int, spilled_values: frozenset[int]) -> float:
        """Count the steps that rematerialize the value from spilled ones."""
        if value in spilled_values:
            return 0
        return 1 + max((self.steps(of, spilled_values) for of in self.of[value]), default=float("inf"))

    def fewest(self, most: float) -> int:
        """Return the least number of spilled values for chains of at most this length."""
        for count in range(len(self.of) + 1):
            for spilled_values in combinations(range(len(self.of)), count):
                if all(self.steps(value, frozenset(spilled_values)) <= most for value in self.used):
                    return count
        raise AssertionError


def spilled_values(graph: Graph) -> int:
    frame = pycoro.Module(graph.text()).preview(pycoro.CoroSplit())["f"].frame
    assert frame.size == HEADER + WORD * sum(field.kind == "spill" for field in frame)
    return (frame.size - HEADER) // WORD


@pytest.mark.parametrize("given", [1, 2, 3])
def test_the_number_of_spills_is_minimal_and_bounded_by_uses(given: int) -> None:
    fewer = 0
    for seed in range(GRAPHS):
        graph = Graph(seed, given)
        count = spilled_values(graph)
        assert graph.fewest(float("inf")) <= count <= len(graph.used), (seed, graph.of, graph.used)
        fewer += count < len(graph.used)
    assert fewer > GRAPHS // 3


def test_one_spill_replaces_several_values_computed_from_it() -> None:
    for seed in range(GRAPHS):
        graph = Graph(seed, 1)
        if graph.fewest(STEPS) == 1 and all(graph.steps(value, frozenset({0})) <= STEPS for value in graph.used):
            assert spilled_values(graph) == 1, (seed, graph.of, graph.used)
