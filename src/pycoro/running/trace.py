"""Traces of a coroutine from start to destruction: its stops, and its frame at each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro._typecheck import check, check_list
from pycoro.coroutine import Coroutine, RetconShape
from pycoro.errors import UsageError
from pycoro.running.frame_snapshot import RunningFrame

if TYPE_CHECKING:
    from pycoro.running.engine import Engine
    from pycoro.running.handle import Handle

__all__ = ["Trace", "TraceStop", "trace_coroutine"]

MOST = 1000
"""Maximum number of resumes without a schedule."""
MOST_SCHEDULED = 1_000_000
"""Maximum number of resumes of a schedule."""
ACTS = ("resume", "destroy")


@dataclass(frozen=True, slots=True)
class TraceStop:
    """A moment when the coroutine was not running.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     start, *_, end = engine.trace("counter", (3, 5))
    >>> start.act, start.state, start.frame["%next"].value, end.act, end.state
    ('start', 'suspended', 4, 'destroy', 'destroyed')
    """

    number: int
    """Position in the trace, from 0 for the start."""
    act: str
    """Operation before the stop: ``"start"``, ``"resume"`` or ``"destroy"``."""
    state: str
    """``"suspended"``; ``"done"``, at its final suspend; ``"ended"``, after it freed its frame; or ``"destroyed"``."""
    frame: RunningFrame | None
    """Contents of the frame; None if it is freed."""


class Trace:
    """All stops of a coroutine. Plain data that outlives the engine and the coroutine.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     for stop in engine.trace("counter", (3, 5)):
    ...         print(stop.number, stop.act, stop.state)
    0 start suspended
    1 resume suspended
    2 resume done
    3 destroy destroyed
    """

    __slots__ = ("__weakref__", "coroutine", "stops")

    coroutine: Coroutine
    stops: tuple[TraceStop, ...]
    """Stops in chronological order; the last one has no frame, unless the coroutine remained suspended."""

    def __init__(self, coroutine: Coroutine, stops: Sequence[TraceStop]) -> None:
        self.coroutine, self.stops = coroutine, tuple(stops)

    def __iter__(self) -> Iterator[TraceStop]:
        return iter(self.stops)

    def __len__(self) -> int:
        return len(self.stops)

    def __getitem__(self, number: int) -> TraceStop:
        return self.stops[number]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each stop and each field of its frame, as ``pandas.DataFrame`` takes them: texts, numbers, flags."""
        found: list[dict[str, Any]] = []
        for stop in self.stops:
            if stop.frame is None:
                continue
            point, place = stop.frame.suspend, stop.frame.location
            at = {"stop": stop.number, "act": stop.act, "state": stop.state}
            at |= {"suspend": point._place if point else None, "location": str(place) if place else None}
            found += [at | item.to_dict() for item in stop.frame.fields]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as dicts, lists, texts and numbers. Sizes and offsets are in bytes."""
        stops = [
            {"number": s.number, "act": s.act, "state": s.state, "frame": s.frame.to_dict() if s.frame else None}
            for s in self.stops
        ]
        return {"coroutine": self.coroutine.name, "stops": stops}

    def __repr__(self) -> str:
        return f"<Trace of @{printable(self.coroutine.name)}: {len(self.stops)} stops>"

    def __str__(self) -> str:
        from pycoro.drawing import trace

        return trace.trace_text(self)

    def svg(self) -> str:
        """Return the trace as an SVG picture."""
        from pycoro.drawing import trace

        return trace.trace_picture(self)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import trace

        return trace.trace_bundle(self, include, exclude)


def _operations_of_schedule(schedule: int | Iterable[str] | None) -> list[str] | None:
    """Return the operations to run; None resumes the coroutine until it is done."""
    if schedule is None:
        return None
    if isinstance(schedule, int):
        check("a schedule is a number of resumes, or a list of acts", schedule, int)
        if schedule < 0:
            raise UsageError(f"a schedule needs a number of resumes of at least 0, not {schedule}")
        if schedule > MOST_SCHEDULED:
            raise UsageError(
                f"a trace has at most {MOST_SCHEDULED:,} resumes, not {schedule:,}; by default it ends with the coroutine"
            )
        return ["resume"] * schedule
    acts = check_list("a schedule is a number of resumes, or a list of 'resume' and 'destroy'", schedule)
    for act in acts:
        if act not in ACTS:
            raise UsageError(f"a schedule must contain 'resume' and 'destroy' only, not {act!r}")
    return acts


def _make_stop(handle: Handle, number: int, act: str) -> TraceStop:
    if handle.destroyed:
        return TraceStop(number, act, "destroyed" if act == "destroy" else "ended", None)
    return TraceStop(number, act, "done" if handle.done else "suspended", handle.frame)


def _resume_arguments(coroutine: Coroutine, schedule: int | Iterable[Any] | None) -> list[tuple[Any, ...]]:
    """Return the arguments of each resume of a coroutine that returns its continuations."""
    if schedule is None or isinstance(schedule, int | str):
        types = ", ".join(coroutine.shape.resumed_with) if isinstance(coroutine.shape, RetconShape) else ""
        raise UsageError(
            f"@{printable(coroutine.name)} returns its continuations; its schedule must be a list of "
            f"tuples with the arguments of each resume ({types})"
        )
    acts = check_list("the schedule must be a list of tuples of arguments", schedule)
    for act in acts:
        check("the arguments of a resume must be a tuple", act, tuple, list)
    return [tuple(act) for act in acts]


def _traced_continuation(engine: Engine, coroutine: Coroutine, args: Iterable[Any], schedule: int | Iterable[Any] | None) -> Trace:
    values = check_list("args is a list of arguments", args)
    given = _resume_arguments(coroutine, schedule)
    running = engine.start_retcon(coroutine.name, *values)
    stops = [TraceStop(0, "start", "ended", None) if running.done else TraceStop(0, "start", "suspended", running.frame)]
    for number, act in enumerate(given, 1):
        if running.done:
            break
        running.resume(*act)
        state, frame = ("ended", None) if running.done else ("suspended", running.frame)
        stops.append(TraceStop(number, "resume", state, frame))
    return Trace(coroutine, stops)


def trace_coroutine(engine: Engine, ramp: str, args: Iterable[Any], schedule: int | Iterable[Any] | None) -> Trace:
    """Implement `Engine.trace`."""
    if (other := engine._coroutine_without_handle(ramp)) is not None:
        if engine._known_retcon_shape(ramp) is None:
            raise UsageError(
                f"@{printable(ramp)} is async, so a client cannot resume it; "
                "call Engine.frame_of in a callable that receives its continuation"
            )
        return _traced_continuation(engine, other, args, schedule)
    acts, values = _operations_of_schedule(schedule), check_list("args is a list of arguments", args)
    handle = engine.start(ramp, *values)
    try:
        stops = [_make_stop(handle, 0, "start")]
        for number in range(1, 1 + (MOST if acts is None else len(acts))):
            if handle.destroyed or (acts is None and handle.done):
                break
            act = "resume" if acts is None else acts[number - 1]
            (handle.destroy if act == "destroy" else handle.resume)()
            stops.append(_make_stop(handle, number, act))
        layout = handle._engine._layout_of(handle)
        if not handle.destroyed:
            handle.destroy()
            stops.append(_make_stop(handle, len(stops), "destroy"))
    except BaseException:
        if not handle.destroyed and not handle._is_known_running():
            handle.destroy()
        raise
    if layout is None:
        raise UsageError(f"the frame layout of @{printable(ramp)} is unknown; add the report of its lowering to the engine")
    return Trace(layout, stops)
