"""What all views of a module have in common: they belong to it, and say so when it has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from pycoro import _core
from pycoro._nearest import UnknownName
from pycoro._printable import printable
from pycoro.errors import ClosedError, StaleViewError

__all__ = ["ByName", "Life", "View", "attribute"]

T = TypeVar("T")
V = TypeVar("V")


class Life:
    """How long a view may be used: while its module is open and has not changed. With no module, for ever."""

    __slots__ = ("_generation", "_module")

    def __init__(self, module: _core.Module | None = None) -> None:
        self._module = module
        self._generation = module.generation if module else 0

    @property
    def stale(self) -> bool:
        """Whether :meth:`check` would raise."""
        module = self._module
        return module is not None and (module.closed or module.generation != self._generation)

    def check(self) -> None:
        """Raises ``ClosedError`` or ``StaleViewError`` where the time of the view is over."""
        module = self._module
        if module is None:
            return
        if module.closed:
            raise ClosedError("the module of this view was closed")
        if module.generation != self._generation:
            raise StaleViewError("the module has changed since this view of it was made; ask the module for a new one")


class attribute(Generic[T]):
    """A read-only attribute of a view, looked up in its data once the view is known to be fresh."""

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
        view._life.check()
        found: T = view._data[self._key]
        return found

    def __set__(self, view: View, to: T) -> None:
        raise AttributeError(f"{type(view).__name__}.{self._key} is read-only")


class word(attribute[T]):
    """One that is one of a few words: ``word[Literal["a", "b"]]("Which it is.")``."""

    def __init__(self, doc: str, key: str = "") -> None:
        super().__init__(cast("type[T]", str), doc, key)


class View:
    """A part of a module or of a report, to look at. Any thread may use it; it keeps its module alive.

    Two views of the same thing are equal.
    """

    __slots__ = ("__weakref__", "_data", "_life")

    def __init__(self, life: Life, data: dict[str, Any]) -> None:
        self._life = life
        self._data = data

    @property
    def stale(self) -> bool:
        """Whether the module has changed or was closed, so that any use of the view raises."""
        return self._life.stale

    def to_dict(self) -> dict[str, Any]:
        """The view as dicts, lists, texts and numbers, for JSON. Sizes and offsets are in bytes."""
        self._life.check()
        copied: dict[str, Any] = plain(self._data)
        return copied

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and type(self) is type(other) and self._data is other._data

    def __hash__(self) -> int:
        return hash((type(self), id(self._data)))

    def _brief(self) -> str:
        """What `repr` says after the class's name; it is asked of stale views too."""
        return str(self._data.get("name", ""))

    def __repr__(self) -> str:
        return f"<{'stale ' if self._life.stale else ''}{type(self).__name__} {printable(self._brief())}>"


def counted(number: int, noun: str) -> str:
    """``"1 pass"``, ``"2 passes"``, ``"3 suspends"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def plain(data: Any) -> Any:
    """A deep copy in which every sequence is a list."""
    if isinstance(data, dict):
        return {key: plain(item) for key, item in cast("dict[str, Any]", data).items()}
    if isinstance(data, tuple | list):
        return [plain(item) for item in cast("Sequence[Any]", data)]
    return data


class ByName(Mapping[str, V]):
    """A read-only mapping from names to views, in the order of the module. Iterating gives the names."""

    __slots__ = ("_items", "_life", "_what")

    def __init__(self, life: Life, items: Mapping[str, Any], what: str) -> None:
        self._life = life
        self._items = items
        self._what = what  # "function", "coroutine"

    @property
    def stale(self) -> bool:
        """Whether the module has changed or was closed, so that any use of the mapping raises."""
        return self._life.stale

    def __getitem__(self, name: str) -> V:
        if name not in self:
            raise UnknownName(self._what, name, tuple(self._items))  # these, whatever becomes of the module
        found: V = self._items[name]
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """The view of the name, or the default, without a list of all."""
        return self[name] if name in self else default  # noqa: SIM401

    def __contains__(self, name: object) -> bool:
        self._life.check()
        return isinstance(name, str) and name in self._items

    def __iter__(self) -> Iterator[str]:
        self._life.check()
        return iter(self._items)

    def __len__(self) -> int:
        self._life.check()
        return len(self._items)

    def __repr__(self) -> str:
        return f"<{'stale: ' if self._life.stale else ''}{', '.join('@' + printable(name) for name in self._items) or 'none'}>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._items)
