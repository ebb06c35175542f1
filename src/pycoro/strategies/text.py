"""Print programs as LLVM IR, deterministically.

`module` prints several programs into one module, each under a separate prefix, with the helper functions that they share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pycoro.build import function
from pycoro.module import Module
from pycoro.strategies import model as m
from pycoro.strategies.async_ import Async
from pycoro.strategies.building import emit_coroutine
from pycoro.strategies.callers import caller_text_and_reported_types, text_calling_last_caller_and_reported_types
from pycoro.strategies.driver import driver_text_and_reported_types
from pycoro.strategies.flow import STATEMENTS
from pycoro.strategies.handles import Held
from pycoro.strategies.helpers import needed_helpers
from pycoro.strategies.owning import emit_driver_function
from pycoro.strategies.retcon import Retcon
from pycoro.strategies.switch import Switch
from pycoro.strategies.writer import FallsThrough, Writer
from pycoro.strategies.writing import Surroundings

_GROUP = re.compile(r"^attributes (#\d+) = \{ (.*) \}$", re.MULTILINE)

__all__ = ["Printer", "drivers", "module"]

End = Callable[
    [bool], None
]  # prints the exit code of a scope; the argument is false at its normal end, true on destroy, `Leave` and exception paths


class Scope:
    """A body with exit code, and the cleanup block for suspends inside it."""

    def __init__(self, label: str, end: End) -> None:
        self.label = label
        self.end = end
        self.used = False


class Printer(Writer):
    """Printer of one coroutine of a program."""

    def __init__(self, program: m.Program, coroutine: m.Coroutine, prefix: str) -> None:
        super().__init__()
        self.program = program
        self.coroutine = coroutine
        self.prefix = prefix
        self.children: dict[str, Held] = {}
        self.abi = _printer_of_abi(self)
        self.thrown: list[tuple[str, str]] = []
        self.block = "start"
        self._scopes: list[Scope] = []

    def print_body(self, body: m.Body) -> FallsThrough:
        """Print statements; return False if control does not reach their end."""
        return all(STATEMENTS[type(statement)](self, statement) for statement in body)

    def print_scope(self, end: End, body: m.Body) -> FallsThrough:
        """Print a body with the code at its exits."""
        scope = Scope(f"undo{self.fresh_number()}", end)
        self._scopes.append(scope)
        reached = self.print_body(body)
        self._scopes.pop()
        if reached:
            end(False)
        if scope.used:
            with self.print_block_at_end(scope.label):
                end(True)
                self.add_line(f"br label %{self.label_of_destroy_path_marking_its_use()}")
        return reached

    def label_of_destroy_path_marking_its_use(self) -> str:
        """Return the destroy successor of a suspend."""
        if not self._scopes:
            return "cleanup"
        self._scopes[-1].used = True
        return self._scopes[-1].label

    def print_destroy_path_and_return_label(self, body: m.Body) -> str:
        """Return the destroy successor of a suspend, with statements before the cleanup."""
        if not body:
            return self.label_of_destroy_path_marking_its_use()
        label = f"gone{self.fresh_number()}"
        with self.print_block_at_end(label):
            self.print_body(body)
            self.add_line(f"br label %{self.label_of_destroy_path_marking_its_use()}")
        return label

    def _print_end_code_of_all_scopes(self) -> None:
        scopes = list(self._scopes)
        while self._scopes:  # suspends in exit code are inside the enclosing scopes only
            self._scopes.pop().end(True)
        self._scopes = scopes

    def branch_to_end(self) -> None:
        """Print a branch to the end of the coroutine from nested scopes."""
        self._print_end_code_of_all_scopes()
        self.add_line(f"br label %{self.label_of_end_block()}")

    def label_of_end_block(self) -> str:
        """Return the block at the end of the coroutine."""
        return "finish" if self.coroutine.final and not self.coroutine.returned else "cleanup"

    def print_branch_to_unwind(self, thrown: str) -> None:
        """Print an exit of the coroutine by an exception."""
        self._print_end_code_of_all_scopes()
        self.thrown.append((thrown, self.block))
        self.add_line("br label %unwind")


def _printer_of_abi(printer: Printer) -> Switch | Retcon | Async:
    how = printer.coroutine.returned
    if not how:
        return Switch(printer)
    return Async(printer, how) if how.context else Retcon(printer, how)


def drivers(programs: Sequence[m.Program], prefixes: Sequence[str] = ("",)) -> list[str]:
    """Return the names of the drive functions of the programs, in order; their type is ``void ()``.

    >>> from pycoro import strategies
    >>> from pycoro.strategies.model import Coroutine, Drive
    >>> program = strategies.Program((Coroutine("f", ()),), (Drive("f"), Drive("f")))
    >>> strategies.text.drivers([program, program], ["a.", "b."])
    ['a.drive0', 'a.drive1', 'b.drive0', 'b.drive1']
    """
    pairs = zip(programs, prefixes, strict=True)
    return [f"{prefix}drive{n}" for program, prefix in pairs for n in range(len(program.drives) + bool(program.callers))]


def _text_of_function_that_calls_all_drives(program: m.Program, prefix: str) -> str:
    calls = [f"  call void @{name}()" for name in drivers([program], [prefix])]
    return "\n".join([f"define void @{prefix}drives() {{", *calls, "  ret void", "}"])


def module(programs: Sequence[m.Program], prefixes: Sequence[str] = ("",)) -> str:
    """Return the IR of a module with the programs; each prefix begins the names of one program's functions. Its function
    ``void drives()`` runs all drives of that program in order.

    >>> from pycoro import strategies
    >>> ir = strategies.module([strategies.sample(1), strategies.sample(2)], ["first.", "second."])
    >>> "define void @second.drives()" in ir
    True
    """
    pairs = list(zip(programs, prefixes, strict=True))
    written = [(program, prefix) for program, prefix in pairs if not program.built]
    text = _module_text(written) if written else ""
    built = [(program, prefix) for program, prefix in pairs if program.built]
    return _append_built_programs(text, built) if built else text


def _append_built_programs(text: str, pairs: Sequence[tuple[m.Program, str]]) -> str:
    """Return the module with the programs that are emitted through pycoro.build."""
    with Module(text, trusted=True) as made:
        for program, prefix in pairs:
            around, names = Surroundings(made, prefix), drivers([program], [prefix])
            for of in program.built:
                emit_coroutine(around, of, program.built)
            known = {of.name: of for of in program.built}
            for drive, name in zip(program.drives, names, strict=True):
                emit_driver_function(around, known[drive.coroutine], drive, name)
            with function(made, f"{prefix}drives") as f:
                for name in names:
                    f.call(made.functions[name])
        return _inline_attribute_groups_and_name_values(str(made))


def _module_text(pairs: Sequence[tuple[m.Program, str]]) -> str:
    functions: list[str] = []
    reported: set[str] = set()
    for program, prefix in pairs:
        for coroutine in program.coroutines:
            printer = Printer(program, coroutine, prefix)
            functions.append(printer.abi.coroutine_ir())
            reported |= printer.reported
        names = drivers([program], [prefix])
        driven = [
            driver_text_and_reported_types(program, drive, name, prefix) for drive, name in zip(program.drives, names, strict=False)
        ]
        driven += [caller_text_and_reported_types(program, of, prefix) for of in program.callers]
        if program.callers:
            driven.append(text_calling_last_caller_and_reported_types(program, names[-1], prefix))
        for text, kinds in driven:
            functions.append(text)
            reported |= kinds
        functions.append(_text_of_function_that_calls_all_drives(program, prefix))
    text = "\n\n".join(functions)
    # otherwise, every call may unwind, and few frames in callers are elided
    quiet = all(program.callers for program, _ in pairs)
    return "\n\n".join([text, *needed_helpers(text, reported, nounwind=quiet)]) + "\n"


def _inline_attribute_groups_and_name_values(ir: str) -> str:
    """Inline attribute groups and name all values, so that modules with equal declarations can be concatenated and edits
    before a value cannot renumber it.
    """
    groups = dict(_GROUP.findall(ir))
    ir = re.sub(r"%(\d+)", r"%u\1", ir)
    return re.sub(r" (#\d+)(?=[ \n,])", lambda found: f" {groups[found[1]]}", _GROUP.sub("", ir)).rstrip() + "\n"
