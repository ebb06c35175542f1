"""Build the module of a function and its callees; lower, optimize and compile it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pycoro import _core
from pycoro.build import coroutine, function
from pycoro.compiling.emitting import Emitter
from pycoro.compiling.kinds import NONE
from pycoro.compiling.runtime_abi import CURRENT, FRAMES, STATUS, THROWN_AT, Channel, Site, Sites
from pycoro.compiling.tree import Function, Place, PythonCallee, Signature
from pycoro.ir import Function as Code
from pycoro.ir import Value
from pycoro.module import Module
from pycoro.pipeline import Pipeline
from pycoro.report import Report

__all__ = ["Program", "compile_to_native"]

ENTER = "enter"
"""Name of the function that Python calls."""
_KINDS = {"function": 0, "generator": 1, "coroutine": 2}


def _flat_parameters(signature: Signature) -> Iterator[tuple[str, str]]:
    for name, kind in signature.parameters:
        yield name, "ptr" if kind.sort == "array" else kind.llvm_type
        if kind.sort == "array":
            yield f"{name}.length", "i64"


class Program:
    """Module of an entry function under construction."""

    def __init__(self, tree: Function) -> None:
        self.tree = tree
        self.module = Module("", host=True, trusted=True)
        self.sites = Sites()
        self.python_calls: list[PythonCallee] = []
        self._first_python_call: dict[int, int] = {}
        self._made: dict[int, str] = {}
        self._add_function(tree)
        self._emit_entry_function()

    def emitted_function(self, tree: Function) -> Code:
        return self.module.functions[self._made[id(tree)]]

    def python_call_number_in_module(self, tree: Function, number: int) -> int:
        return self._first_python_call[id(tree)] + number

    def _add_function(self, tree: Function) -> None:
        """Emit a function after its callees."""
        if id(tree) in self._made:
            return
        for other in tree.calls:
            self._add_function(other)
        signature = tree.signature
        self._first_python_call[id(tree)] = len(self.python_calls)
        self.python_calls += tree.python_calls
        outermost = tree is self.tree
        self._made[id(tree)] = name = f"{signature.name}.{'py' if outermost else len(self._made)}"  # C names have no dot
        parameters = {"": "ptr", **dict(_flat_parameters(signature))}
        if signature.sort == "function":
            result = signature.returns.llvm_type
            opened = function(self.module, name, parameters, result, linkage="internal")
            with opened as f:
                Emitter(self, tree, f, f[""]).emit_body()
        else:
            with coroutine(self.module, name, parameters, result="void", allocation=FRAMES, linkage="internal") as c:
                Emitter(self, tree, c, c[""]).emit_body()

    def _emit_entry_function(self) -> None:
        signature = self.tree.signature
        with function(self.module, ENTER, {"channel": "ptr"}) as f:
            channel = Channel(f, f["channel"])
            made = f.call(self.emitted_function(self.tree), [f["channel"], *self._load_arguments(channel)])
            if signature.sort != "function":
                channel.store_at_offset(made, CURRENT)
                channel.store_number_at_offset("i32", self._site_number_at_first_line(BaseException), THROWN_AT)
                with f.if_(f.icmp("eq", made, f.constant("ptr", None))):
                    channel.store_number_at_offset("i32", self._site_number_at_first_line(MemoryError), STATUS)
            elif signature.returns is not NONE:
                channel.write_value_to_slots(self.tree.signature.returns, made)

    def _site_number_at_first_line(self, error: type[BaseException]) -> int:
        """Return the number of the site at the function's first line, where nothing of its body has run."""
        place = Place(self.tree.line, 0, self.tree.line, 0)
        return self.sites.number_of_site(Site(error, (), self.tree.file, self.tree.signature.name, place))

    def _load_arguments(self, channel: Channel) -> list[Value]:
        """Load the arguments from the slots."""
        values: list[Value] = []
        slot = 0
        for _, kind in self.tree.signature.parameters:
            if kind.sort == "array":
                values += channel.array_address_and_length(slot)
            else:
                value = channel.read_value_from_slots(kind, slot)
                assert value is not None
                values.append(value)
            slot += kind.slot_count
        return values

    def channel_formats(self) -> tuple[bytes, bytes, bytes, bytes]:
        """Formats of arguments and results in the syntax of channel.h."""
        signature, written = self.tree.signature, self.tree.written
        parameters = "".join(
            kind.channel_format.replace("*", "&") if name in written else kind.channel_format for name, kind in signature.parameters
        )
        texts = parameters, signature.yields.channel_format, signature.sends.channel_format, signature.returns.channel_format
        first, second, third, fourth = (text.encode() for text in texts)
        return first, second, third, fourth

    @property
    def channel_slots(self) -> int:
        """Number of slots of a channel: the maximum over all values that pass through it."""
        most = [0]
        for tree in _reachable_functions(self.tree):
            signature = tree.signature
            most += [signature.yields.slot_count, signature.sends.slot_count, signature.returns.slot_count]
            most += [sum(kind.slot_count for _, kind in signature.parameters)]
            most += [
                max(sum(kind.slot_count for kind in python_call.parameters), python_call.returns.slot_count)
                for python_call in tree.python_calls
            ]
        return max(most)


def _reachable_functions(tree: Function) -> Iterator[Function]:
    seen: set[int] = set()
    stack = [tree]
    while stack:
        at = stack.pop()
        if id(at) not in seen:
            seen.add(id(at))
            yield at
            stack += at.calls


def compile_to_native(program: Program, pipeline: Pipeline, python: Callable[..., object]) -> tuple[_core.Native, Report]:
    """Return the compiled function and the report of its lowering. ``python`` is the original function, which runs if a bool
    is passed for an int.
    """
    report = pipeline.run(program.module)
    engine = _core.Engine(quick=False)
    for name, address in _core.NATIVE_SYMBOLS.items():
        engine.define(name, address)
    engine.add(report.module._core)
    python_calls = tuple(
        (
            python_call.callable,
            f"({''.join(kind.channel_format for kind in python_call.parameters)})".encode(),
            python_call.returns.channel_format.encode(),
        )
        for python_call in program.python_calls
    )
    signature = program.tree.signature
    enter, kind, slots, formats = engine.lookup(ENTER), _KINDS[signature.sort], program.channel_slots, program.channel_formats()
    made = _core.Native(engine, enter, kind, slots, formats, signature.name, program.sites, python_calls, python)
    return made, report
