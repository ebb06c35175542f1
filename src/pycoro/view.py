"""Base classes of views: they belong to a module and become stale when it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from pycoro import _core
from pycoro._demangle import cxx_symbols_by_source_name
from pycoro._escape import printable
from pycoro._suggest import UnknownNameError
from pycoro.errors import ClosedError, StaleViewError

__all__ = ["ByName", "Life", "View", "attribute"]

T = TypeVar("T")
V = TypeVar("V")


class Life:
    """Validity of a view: while its module is open and unchanged; forever without a module."""

    __slots__ = ("_generation", "_module")

    def __init__(self, module: _core.Module | None = None) -> None:
        self._module = module
        self._generation = module.generation if module else 0

    @property
    def is_stale(self) -> bool:
        """True if :meth:`check_is_current` would raise."""
        module = self._module
        return module is not None and (module.is_closed or module.generation != self._generation)

    def check_is_current(self) -> None:
        """Raise ``ClosedError`` or ``StaleViewError`` if the module is closed or has changed."""
        module = self._module
        if module is None:
            return
        if module.is_closed:
            raise ClosedError(
                "the module of this view was closed; read what you need before Module.close() or the end of its with block"
            )
        if module.generation != self._generation:
            raise StaleViewError("the module has changed since this view was created; get a new one from the module")


class attribute(Generic[T]):
    """Read-only attribute of a view. It reads the view's data after checking that the view is not stale."""

    def __init__(self, type_: type[T], doc: str, key: str = "") -> None:
        self.__doc__ = doc
        self._key = key

    def __set_name__(self, owner: type[View], name: str) -> None:
        self._key = self._key or name

    @overload
    def __get__(self, view: None, owner: type[View]) -> attribute[T]: ...
    @overload
    def __get__(self, view: View, owner: type[View]) -> T: ...
    def __get__(self, view: View | None, owner: type[View]) -> attribute[T] | T:
        if view is None:
            return self
        view._life.check_is_current()
        found: T = view._data[self._key]
        return found

    def __set__(self, view: View, to: T) -> None:
        raise AttributeError(f"{type(view).__name__}.{self._key} is read-only")


class word(attribute[T]):
    """Attribute with one of a few values: ``word[Literal["a", "b"]]("Its documentation.")``."""

    def __init__(self, doc: str, key: str = "") -> None:
        super().__init__(cast("type[T]", str), doc, key)


class View:
    """Read-only view of a part of a module or report. Any thread may use it; it keeps its module alive.

    Two views of the same object are equal.
    """

    __slots__ = ("__weakref__", "_data", "_life")

    def __init__(self, life: Life, data: dict[str, Any]) -> None:
        self._life = life
        self._data = data

    @property
    def is_stale(self) -> bool:
        """True if the module has changed or was closed, so that any use of the view raises."""
        return self._life.is_stale

    def to_dict(self) -> dict[str, Any]:
        """Return the view as dicts, lists, texts and numbers, for JSON. Sizes and offsets are in bytes."""
        self._life.check_is_current()
        copied: dict[str, Any] = with_lists_for_sequences(self._data)
        return copied

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and type(self) is type(other) and self._data is other._data

    def __hash__(self) -> int:
        return hash((type(self), id(self._data)))

    def _repr_details(self) -> str:
        """Return the part of `repr` after the class name; also called for stale views."""
        return str(self._data.get("name", ""))

    def __repr__(self) -> str:
        return f"<{'stale ' if self._life.is_stale else ''}{type(self).__name__} {printable(self._repr_details())}>"


def format_count(number: int, noun: str) -> str:
    """Return ``"1 pass"``, ``"2 passes"``, ``"3 suspends"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def with_lists_for_sequences(data: Any) -> Any:
    """Return a deep copy with every sequence as a list."""
    if isinstance(data, dict):
        return {key: with_lists_for_sequences(item) for key, item in cast("dict[str, Any]", data).items()}
    if isinstance(data, tuple | list):
        return [with_lists_for_sequences(item) for item in cast("Sequence[Any]", data)]
    return data


class ByName(Mapping[str, V]):
    """Read-only mapping from names to views, in the order of the module. A C++ function is also found by its source name,
    ``"n::f(int)"``, or ``"n::f"`` if there is only one; a coroutine also by ``"f"``."""

    __slots__ = ("_items", "_life", "_symbols", "_what")

    def __init__(self, life: Life, items: Mapping[str, Any], what: str) -> None:
        self._life = life
        self._items = items
        self._what = what  # "function", "coroutine"
        self._symbols: dict[str, str] | None = None

    @property
    def is_stale(self) -> bool:
        """True if the module has changed or was closed, so that any use of the mapping raises."""
        return self._life.is_stale

    def _by_name(self) -> Mapping[str, Any]:
        """Return the contents."""
        self._life.check_is_current()
        return self._items

    def __getitem__(self, name: str) -> V:
        items, symbol = self._by_name(), self._ir_name_or_none(name)
        if symbol is None:
            raise UnknownNameError(self._what, name, tuple(items))  # a copy, independent of the module
        found: V = items[symbol]
        return found

    def _ir_name_or_none(self, name: object) -> str | None:
        """Return the name in IR for that name, or None."""
        names = self._by_name()
        if not isinstance(name, str):
            return None
        if name in names:
            return name
        if self._what != "coroutine" and "(" not in name and "::" not in name:
            return None  # without a query of each function's source name
        if self._symbols is None:
            self._symbols = cxx_symbols_by_source_name(names)
        return self._symbols.get(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the view with the name, or the default."""
        return self[name] if name in self else default  # noqa: SIM401

    def __contains__(self, name: object) -> bool:
        return self._ir_name_or_none(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name())

    def __len__(self) -> int:
        return len(self._by_name())

    def __repr__(self) -> str:
        return f"<{'stale: ' if self._life.is_stale else ''}{', '.join('@' + printable(name) for name in self._items) or 'none'}>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._items)
