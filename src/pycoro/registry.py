"""Registry of passes and ABIs that pass strings and pipelines can name, including those of entry points."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

from pycoro import _core
from pycoro._pass_parameters import parameters_of, parse_parameters, to_kebab_case
from pycoro._suggest import unknown_name_message
from pycoro._typecheck import short_repr
from pycoro.abi import ABI, KINDS
from pycoro.errors import Diagnostic, PipelineError, UsageError
from pycoro.passes import (
    CallablePass,
    CoroutinePass,
    FunctionPass,
    ModulePass,
    Pass,
    PythonPass,
    check_pass_or_abi_name,
    level_number_of_pass,
)

__all__ = ["register_abi", "register_pass", "registered_passes", "unregister_abi", "unregister_pass"]

PASSES = "pycoro.passes"
ABIS = "pycoro.abis"
"""Groups of entry points."""

GROUPS = {"module", "cgscc", "devirt", "function", "loop", "loop-mssa", "machine-function", "repeat", "coro-cond"}
"""Names of pass managers in pass strings."""

T = TypeVar("T", bound=Callable[..., Any])

_known: dict[str, Callable[..., Any]] = {}
_abis: dict[str, ABI | type[ABI]] = {}


def register_pass(factory: T, *, name: str = "") -> T:
    """Register a pass for pass strings of this process: a subclass of `ModulePass`, `FunctionPass` or `CoroutinePass`, or a
    callable, which becomes a module pass. Its parameters are those of the class, or of the callable after the module. Usable as
    a decorator.

    ``name`` replaces the class's name. Raises ``UsageError`` if another pass or one of LLVM's has the name; the same class or
    function may be registered again, as in a notebook cell. Raises ``TypeError`` for other objects.

    >>> @pycoro.register_pass
    ... def count(module, least: int = 0):
    ...     print(sum(len(function.blocks) >= least for function in module.functions.values()))
    >>> report = pycoro.Module(pycoro.examples.COUNTER).run("count<least=5>")
    1
    >>> pycoro.unregister_pass("count")
    """
    own = _name_of_pass_factory(factory)
    name = name or own
    check_pass_or_abi_name(name, repr(factory))
    taken = _known.get(name)
    if taken is not None and _qualified_name(taken) != _qualified_name(factory):
        raise UsageError(f"the pass {name} is already registered by {_qualified_name(taken)}; rename one of them")
    if taken is None and _is_builtin_pass_name(name):
        raise UsageError(f"{name!r} is a pass of LLVM or pycoro; choose another name")
    _known[name] = factory
    return factory


def unregister_pass(name: str) -> None:
    """Undo :func:`register_pass`. Raises ``KeyError`` if the name is not registered.

    >>> wait = pycoro.register_pass(lambda module: None, name="wait")
    >>> pycoro.unregister_pass("wait")
    >>> "wait" in pycoro.registered_passes()
    False
    """
    del _known[name]


def registered_passes() -> Mapping[str, Callable[..., Any]]:
    """Return the registered passes by name, including those of entry points, which this function loads.

    >>> wait = pycoro.register_pass(lambda module: None, name="wait")
    >>> "wait" in pycoro.registered_passes()
    True
    >>> pycoro.unregister_pass("wait")
    """
    for name, point in _entry_points(PASSES).items():
        if name not in _known:
            register_pass(point.load(), name=name)
    return dict(_known)


def _name_of_pass_factory(factory: object) -> str:
    if isinstance(factory, type):
        if issubclass(factory, ModulePass | FunctionPass | CoroutinePass):
            return factory.name
        raise TypeError(f"{factory.__name__} must derive from ModulePass, FunctionPass or CoroutinePass")
    if isinstance(factory, Pass) or not callable(factory):
        raise TypeError(f"register_pass expects a class or a callable, not {factory!r}")
    return CallablePass(factory).name


def _qualified_name(factory: Any) -> str:
    while isinstance(factory, partial):
        factory = factory.func
    return f"{getattr(factory, '__module__', '')}.{getattr(factory, '__qualname__', type(factory).__qualname__)}"


def _is_builtin_pass_name(name: str) -> bool:
    """Return whether pass strings already accept the name, or reject it for another reason than being unknown."""
    try:
        _core.pipeline_check(name)
    except PipelineError as error:
        return name in GROUPS or "unknown" not in error.message
    return True


# ---- Pass strings ----


def pass_string_elements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the elements of a pass string, including groups, with their offsets."""
    for found in re.finditer(r"[^,()]+", text):
        yield found.start(), found.group()


def registered_passes_in(text: str, exclude: Collection[str] = ()) -> tuple[dict[str, PythonPass], list[Diagnostic]]:
    """Return the registered passes in a pass string by their spelling, except those in ``exclude``, and the errors in their
    parameters."""
    found: dict[str, PythonPass] = {}
    errors: list[Diagnostic] = []
    for at, element in pass_string_elements(text) if _known else ():
        name, angle, rest = element.partition("<")
        if name not in _known or element in found or element in exclude:
            continue
        if angle and not rest.endswith(">"):
            continue  # the engine reports the error
        try:
            found[element] = _create_registered_pass(name, rest[:-1])
        except (ValueError, TypeError) as error:
            errors.append(_parameter_error(f"{error}", text, at, element))
    return found, errors


def _create_registered_pass(name: str, text: str) -> PythonPass:
    factory = _known[name]
    is_class = isinstance(factory, type)
    values = parse_parameters(name, parameters_of(factory, skip=0 if is_class else 1), text)
    if not is_class:
        return CallablePass(factory, name, **values)
    created: PythonPass = factory(**values)
    return created


def _parameter_error(message: str, text: str, at: int, element: str) -> Diagnostic:
    located = f"{message} (at character {at + 1} of the pass string)"
    factory = _known[element.partition("<")[0]]
    parameters = ", ".join(parameter.option_name for parameter in parameters_of(factory, skip=not isinstance(factory, type)))
    hint = f"its parameters are {parameters}" if parameters else "it has no parameters; write only its name"
    length = len(element.encode())
    return Diagnostic(
        located, hint, rule="pass-string", status=PipelineError.status, passes=text, at=len(text[:at].encode()), length=length
    )


def registered_levels() -> dict[str, int]:
    """Return the engine's level number of each registered pass."""
    return {name: level_number_of_pass(factory if isinstance(factory, type) else CallablePass) for name, factory in _known.items()}


def load_entry_points_for(text: str) -> bool:
    """Load the entry points for unregistered names in a pass string; return whether there were any."""
    points = _entry_points(PASSES)
    names = {element.partition("<")[0] for _, element in pass_string_elements(text)} - _known.keys()
    loaded = [name for name in sorted(names & points.keys()) if not _is_builtin_pass_name(name)]
    for name in loaded:
        register_pass(points[name].load(), name=name)
    return bool(loaded)


def _entry_points(group: str) -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow to import, rarely needed

    return {point.name: point for point in entry_points(group=group)}


# ---- ABIs ----

A = TypeVar("A", bound=ABI | type[ABI])


def register_abi(abi: A, *, name: str = "") -> A:
    """Register an ABI for ``CoroSplit(abis=["name"])``: an object, or a class without required arguments. Usable as a class
    decorator. Packages provide ABIs by entry points of the group ``pycoro.abis``, loaded on demand.

    Raises ``UsageError`` if another ABI has the name, ``TypeError`` for other objects.

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
        raise TypeError(f"an ABI must derive from SwitchABI, RetconABI or AsyncABI, not {short_repr(abi)}")
    name = name or to_kebab_case(kind.__name__)
    check_pass_or_abi_name(name, repr(abi))
    taken = _abis.get(name)
    if taken is not None and taken is not abi and _qualified_name(taken) != _qualified_name(abi):
        raise UsageError(f"the ABI {name} is already registered by {_qualified_name(taken)}; rename one of them")
    _abis[name] = abi
    return abi


def unregister_abi(name: str) -> None:
    """Undo :func:`register_abi`. Raises ``KeyError`` if the name is not registered.

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
    """Return the ABI that is registered under a name or provided by an entry point. Raises ``UsageError`` for an unknown name."""
    if name not in _abis:
        points = _entry_points(ABIS)
        if name not in points:
            raise UsageError(unknown_name_message("ABI", name, [*_abis, *points]))
        register_abi(points[name].load(), name=name)
    abi = _abis[name]
    return abi() if isinstance(abi, type) else abi
