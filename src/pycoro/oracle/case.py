"""Cases: a coroutine, its arguments, and the schedules to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from pycoro._typecheck import check, check_list, check_mapping

__all__ = ["Case", "Schedule", "Step"]

Step = str
"""A step of a schedule; the ABI determines the steps."""
Schedule = Sequence[Step]


@dataclass(frozen=True)
class Case:
    """A coroutine and the schedules to run it on. Cases can be pickled and sent to other machines.

    >>> from pycoro import oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "promise", "destroy"),), "counter", (3, 6), "i32")
    >>> case == oracle.Case.from_dict(case.to_dict())
    True
    """

    ir: str
    """Module before lowering."""
    schedules: tuple[tuple[str, ...], ...] = ((),)
    """Steps after the start, for each run: see :meth:`Oracle.compare`."""
    ramp: str = "f"
    """Function to call, without the ``@``."""
    args: tuple[Any, ...] = ()
    """Arguments; a string is a pointer to memory."""
    promise: str | None = None
    """Type of the promise, such as ``"i32"`` or ``"i32, align 32"``."""
    returns: Mapping[str, Sequence[Any]] = field(default_factory=dict[str, Sequence[Any]])
    """Results of external functions, in call order."""
    name: str = ""
    """Origin of the case, for messages."""

    def __post_init__(self) -> None:
        check("the IR of a case must be text, as str() of a pycoro.Module returns", self.ir, str)
        check_list("schedules must be sequences of steps, such as (('resume', 'destroy'),)", self.schedules)
        if any(isinstance(schedule, str) for schedule in self.schedules):
            raise TypeError("schedules must be sequences of steps, such as (('resume', 'destroy'),), not strings")
        for schedule in self.schedules:
            check_list("a schedule must be a sequence of steps, such as ('resume', 'destroy')", schedule)
        check("ramp is the name of a function", self.ramp, str)
        check_list("args is a tuple of arguments", self.args)
        check("promise must be a type as text, such as 'i32', or None", self.promise, str, type(None))
        check_mapping("returns must be a mapping from names to lists of values", "a name in returns is a str", self.returns, str)
        for name, values in self.returns.items():
            check_list(f"returns[{name!r}] is a list of values", values)
        check("name must be a str", self.name, str)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data; `from_dict` recreates the case."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Case:
        """Recreate the case from the result of `to_dict`, even after JSON turned its tuples into lists."""
        schedules = tuple(tuple(schedule) for schedule in data["schedules"])
        fields: dict[str, Any] = {**data, "schedules": schedules, "args": _to_tuples(list(data["args"]))}
        return cls(**fields)

    def only(self, schedule: Sequence[str]) -> Case:
        """Return the case with that schedule only."""
        return replace(self, schedules=(tuple(schedule),))


def _to_tuples(item: Any) -> Any:
    if not isinstance(item, list):
        return item
    return tuple(map(_to_tuples, cast("Sequence[Any]", item)))
