"""What pass strings may name besides pycoro's passes and LLVM's: passes that programs register, and that packages bring."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

from pycoro import _core
from pycoro._nearest import unknown
from pycoro._parameters import kebab, parameters_of, read
from pycoro._wanted import shown
from pycoro.abi import ABI, KINDS
from pycoro.errors import Diagnostic, PipelineError, UsageError
from pycoro.passes import CallablePass, CoroutinePass, FunctionPass, ModulePass, Pass, PythonPass, check_name, level_of

__all__ = ["register_abi", "register_pass", "registered_passes", "unregister_abi", "unregister_pass"]

PASSES = "pycoro.passes"
ABIS = "pycoro.abis"
"""The groups of entry points."""

GROUPS = {"module", "cgscc", "devirt", "function", "loop", "loop-mssa", "machine-function", "repeat", "coro-cond"}
"""What pass strings may hold passes in."""

T = TypeVar("T", bound=Callable[..., Any])

_known: dict[str, Callable[..., Any]] = {}
_abis: dict[str, ABI | type[ABI]] = {}


def register_pass(made_by: T, *, name: str = "") -> T:
    """Lets pass strings of this process name a pass: a class derived from `ModulePass` or the like, or a callable, which is a
    pass on the module. Its parameters are those of the class, or of the callable behind the module. A decorator.

    ``name`` takes the place of the class's name. ``UsageError`` for a name that is taken, by another pass or one of LLVM's; the
    same class or function may come again, as in a notebook's cell. ``TypeError`` for what is no pass.

    >>> @pycoro.register_pass
    ... def count(module, least: int = 0):
    ...     print(sum(len(function.blocks) >= least for function in module.functions.values()))
    >>> report = pycoro.Module(pycoro.examples.COUNTER).run("count<least=5>")
    1
    >>> pycoro.unregister_pass("count")
    """
    own = _name_of(made_by)
    name = name or own
    check_name(name, repr(made_by))
    taken = _known.get(name)
    if taken is not None and _origin(taken) != _origin(made_by):
        raise UsageError(f"the pass {name} is registered already, by {_origin(taken)}: give one of them another name")
    if taken is None and _means_something(name):
        raise UsageError(f"{name!r} is a pass of LLVM's or of pycoro's: give yours another name")
    _known[name] = made_by
    return made_by


def unregister_pass(name: str) -> None:
    """Takes back :func:`register_pass`; ``KeyError`` where nothing is registered under the name.

    >>> wait = pycoro.register_pass(lambda module: None, name="wait")
    >>> pycoro.unregister_pass("wait")
    >>> "wait" in pycoro.registered_passes()
    False
    """
    del _known[name]


def registered_passes() -> Mapping[str, Callable[..., Any]]:
    """The passes that pass strings may name, by name: those that were registered, and those that entry points bring, which
    this loads.

    >>> wait = pycoro.register_pass(lambda module: None, name="wait")
    >>> "wait" in pycoro.registered_passes()
    True
    >>> pycoro.unregister_pass("wait")
    """
    for name, point in _entry_points(PASSES).items():
        if name not in _known:
            register_pass(point.load(), name=name)
    return dict(_known)


def _name_of(made_by: object) -> str:
    if isinstance(made_by, type):
        if issubclass(made_by, ModulePass | FunctionPass | CoroutinePass):
            return made_by.name
        raise TypeError(f"{made_by.__name__} derives from none of ModulePass, FunctionPass and CoroutinePass")
    if isinstance(made_by, Pass) or not callable(made_by):
        raise TypeError(f"a class or a callable is registered, not {made_by!r}")
    return CallablePass(made_by).name


def _origin(made_by: Any) -> str:
    while isinstance(made_by, partial):
        made_by = made_by.func
    return f"{getattr(made_by, '__module__', '')}.{getattr(made_by, '__qualname__', type(made_by).__qualname__)}"


def _means_something(name: str) -> bool:
    """Whether a pass string may hold the name as things stand, or is refused for what it would do."""
    try:
        _core.pipeline_check(name)
    except PipelineError as error:
        return name in GROUPS or "unknown" not in error.message
    return True


# ---- Pass strings ----


def elements(text: str) -> Iterator[tuple[int, str]]:
    """The elements of a pass string, groups too, each with its place."""
    for found in re.finditer(r"[^,()]+", text):
        yield found.start(), found.group()


def passes_in(text: str, but: Collection[str] = ()) -> tuple[dict[str, PythonPass], list[Diagnostic]]:
    """The registered passes in a pass string, by how they are spelt there, but for some that are known; and what is wrong with
    their parameters."""
    found: dict[str, PythonPass] = {}
    wrong: list[Diagnostic] = []
    for at, element in elements(text) if _known else ():
        name, angle, rest = element.partition("<")
        if name not in _known or element in found or element in but:
            continue
        if angle and not rest.endswith(">"):
            continue  # the engine says what is wrong with it
        try:
            found[element] = _made(name, rest[:-1])
        except (ValueError, TypeError) as error:
            wrong.append(_refused(f"{error}", text, at, element))
    return found, wrong


def _made(name: str, text: str) -> PythonPass:
    made_by = _known[name]
    is_class = isinstance(made_by, type)
    values = read(name, parameters_of(made_by, skip=0 if is_class else 1), text)
    if not is_class:
        return CallablePass(made_by, name, **values)
    made: PythonPass = made_by(**values)
    return made


def _refused(message: str, text: str, at: int, element: str) -> Diagnostic:
    said = f"{message} (at character {at + 1} of the pass string)"
    made_by = _known[element.partition("<")[0]]
    parameters = ", ".join(parameter.text for parameter in parameters_of(made_by, skip=not isinstance(made_by, type)))
    hint = f"its parameters are {parameters}" if parameters else "write its name alone"
    length = len(element.encode())
    return Diagnostic(
        said, hint, rule="pass-string", status=PipelineError.status, passes=text, at=len(text[:at].encode()), length=length
    )


def registered_levels() -> dict[str, int]:
    """The level of each registered pass, as the engine counts them."""
    return {name: level_of(made_by if isinstance(made_by, type) else CallablePass) for name, made_by in _known.items()}


def load_for(text: str) -> bool:
    """Loads the entry points that are named in a pass string and not registered. Whether there were any."""
    points = _entry_points(PASSES)
    names = {element.partition("<")[0] for _, element in elements(text)} - _known.keys()
    brought = [name for name in sorted(names & points.keys()) if not _means_something(name)]
    for name in brought:
        register_pass(points[name].load(), name=name)
    return bool(brought)


def _entry_points(group: str) -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return {point.name: point for point in entry_points(group=group)}


# ---- ABIs ----

A = TypeVar("A", bound=ABI | type[ABI])


def register_abi(abi: A, *, name: str = "") -> A:
    """Lets ``CoroSplit(abis=["name"])`` name an ABI: an object, or a class that can be made without arguments. A decorator for
    classes. A package brings ABIs by entry points of the group ``pycoro.abis``, which are loaded when one is asked for.

    ``UsageError`` for a name that is taken by another; ``TypeError`` for what is no ABI.

    >>> @pycoro.register_abi
    ... class Largest(pycoro.SwitchABI):
    ...     def select(self, coroutine):
    ...         return True
    ...     def order(self, fields):
    ...         return sorted(fields, key=lambda field: -field.size)
    >>> isinstance(pycoro.CoroSplit(abis=["largest"]).abis[0], Largest)
    True
    >>> pycoro.unregister_abi("largest")
    """
    kind = abi if isinstance(abi, type) else type(abi)
    if not issubclass(kind, tuple(KINDS)):
        raise TypeError(f"an ABI derives from pycoro.SwitchABI or the like, which {shown(abi)} does not")
    name = name or kebab(kind.__name__)
    check_name(name, repr(abi))
    taken = _abis.get(name)
    if taken is not None and taken is not abi and _origin(taken) != _origin(abi):
        raise UsageError(f"the ABI {name} is registered already, by {_origin(taken)}: give one of them another name")
    _abis[name] = abi
    return abi


def unregister_abi(name: str) -> None:
    """Takes back :func:`register_abi`; ``KeyError`` where nothing is registered under the name.

    >>> class Mine(pycoro.SwitchABI):
    ...     pass
    >>> mine = pycoro.register_abi(Mine)
    >>> pycoro.unregister_abi("mine")
    >>> pycoro.CoroSplit(abis=["mine"])
    Traceback (most recent call last):
        ...
    pycoro.errors.UsageError: no ABI 'mine'; there are none
    """
    del _abis[name]


def abi_named(name: str) -> ABI:
    """The ABI that is registered under the name, or that an entry point brings. ``UsageError`` where there is none."""
    if name not in _abis:
        points = _entry_points(ABIS)
        if name not in points:
            raise UsageError(unknown("ABI", name, [*_abis, *points]))
        register_abi(points[name].load(), name=name)
    abi = _abis[name]
    return abi() if isinstance(abi, type) else abi
