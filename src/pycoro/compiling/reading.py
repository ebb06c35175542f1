"""Type-check statements: from Python's syntax to the typed tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycoro.compiling.diagnostics import source_range_of
from pycoro.compiling.expressions import SIGNS, Expressions, Unknown
from pycoro.compiling.kinds import FLOAT, INT, NONE, Kind, kind_of
from pycoro.compiling.tree import (
    Assert,
    Assign,
    Constant,
    Evaluate,
    Expression,
    ForArray,
    ForGenerator,
    ForRange,
    Function,
    If,
    Local,
    LoopExit,
    OldElementValue,
    Raise,
    Return,
    Statement,
    Target,
    Try,
    Unpack,
    While,
)  # fmt: skip
from pycoro.errors import CompileError

__all__ = ["Body"]

_WORDS = {
    "FunctionDef": "a function within a function", "AsyncFunctionDef": "a function within a function", "ClassDef": "a class",
    "Delete": "del", "AsyncFor": "async for", "With": "with", "AsyncWith": "async with", "Match": "match", "Import": "import",
    "ImportFrom": "import", "Global": "global", "Nonlocal": "nonlocal", "TryStar": "except*", "TypeAlias": "a type alias",
}  # fmt: skip
_HINTS = {
    "FunctionDef": "write it outside, and decorate it", "With": "use try and finally",
    "Import": "import outside of the function", "ImportFrom": "import outside of the function",
    "Global": "pass the value as a parameter, and yield or return it", "AsyncFor": "await each value in a while loop",
}  # fmt: skip


class Body(Expressions):
    """Type checker of one function's statements."""

    def __init__(
        self, tree: Function, names: Mapping[str, Any], stored: set[str], annotation: Callable[[ast.expr], object]
    ) -> None:
        super().__init__(tree, names, stored)
        self._annotation = annotation
        self._loops: list[list[set[str]]] = []

    # ---- The types of variables ----

    def infer_variable_types(self, node: ast.AST) -> None:
        """Infer the types of variables from their assignments; errors are reported later, in program order."""
        found = [each for each in ast.walk(node) if isinstance(each, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For)]
        found.sort(key=lambda each: (each.lineno, each.col_offset))
        bound, self.bound = self.bound, None
        known = -1
        while known < (known := len(self.tree.locals)):
            for each in found:
                try:
                    self._infer_from_statement(each)
                except (Unknown, CompileError):
                    continue
        self.bound = bound
        tree = self.tree
        tree.python_calls, tree.calls, tree.unsure, tree.written, tree.passed = [], [], set(), set(), set()
        tree.recursive = tree.delegates = False

    def _infer_from_statement(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For) -> None:
        if isinstance(node, ast.For):
            self._set_type_if_unknown(node.target, self._item_type_of_iterable(node, node.iter))
        elif isinstance(node, ast.AnnAssign):
            self._set_type_if_unknown(node.target, self._annotated_type(node.annotation))
        elif isinstance(node, ast.Assign):
            wanted = self._known_type_or_none(node.targets[0])
            kind = self.read_expression(node.value, wanted).kind
            for target in node.targets:
                self._set_type_if_unknown(target, kind)

    def _set_type_if_unknown(self, target: ast.expr, kind: Kind) -> None:
        if isinstance(target, ast.Tuple):
            for item, its in zip(target.elts, kind.items, strict=False):
                self._set_type_if_unknown(item, its)
        elif isinstance(target, ast.Name) and kind is not NONE:
            self.tree.locals.setdefault(target.id, kind)

    def _known_type_or_none(self, target: ast.expr) -> Kind | None:
        return self.tree.locals.get(target.id) if isinstance(target, ast.Name) else None

    def _annotated_type(self, node: ast.expr) -> Kind:
        kind = kind_of(self._annotation(node))
        if kind is None or kind is NONE or kind.sort == "array":
            raise self.error(
                node, f"a variable of type {ast.unparse(node)} is not supported", "use int, float, bool, or tuples of them"
            )
        return kind

    # ---- Statements ----

    def read_block(self, statements: Sequence[ast.stmt]) -> list[Statement]:
        made: list[Statement] = []
        for node in statements:
            if self.bound is None:
                break  # unreachable
            try:
                made += self.read_statement(node)
            except Unknown as unknown:
                raise self.error(
                    node, f"the type of {unknown} cannot be inferred", f"annotate its assignment: {unknown}: int = ..."
                ) from None
        return made

    def read_statement(self, node: ast.stmt) -> list[Statement]:
        name = type(node).__name__
        do: Callable[[Any], list[Statement]] | None = getattr(self, f"read_{name}", None)
        if do is None:
            raise self.error(node, f"{_WORDS.get(name, name)} is not supported", _HINTS.get(name, ""))
        return do(node)

    def read_Pass(self, node: ast.Pass) -> list[Statement]:
        return []

    def read_Expr(self, node: ast.Expr) -> list[Statement]:
        if isinstance(node.value, ast.Constant):
            return []  # a docstring or an ellipsis
        if isinstance(node.value, ast.Yield):
            return [Evaluate(self.read_yield(node.value, taken=False))]
        return [Evaluate(self.read_expression(node.value, NONE))]

    def read_Return(self, node: ast.Return) -> list[Statement]:
        if self.cleaning:
            raise self.error(
                node, "return in a finally is not supported: it would swallow exceptions", "return after the try statement"
            )
        kind = self.tree.signature.returns
        value = None if node.value is None else self.read_expression_of_exact_type(kind, node.value, "the returned value")
        if node.value is None and kind is not NONE:
            raise self.type_mismatch_error(node, NONE, kind, "the returned value")
        self.bound = None
        return [Return(value)]

    def read_If(self, node: ast.If) -> list[Statement]:
        test = self.read_truth_value(node.test)
        before = self._copy_bound_names()
        then = self.read_block(node.body)
        after, self.bound = self.bound, before
        other = self.read_block(node.orelse)
        if self.bound is None or after is None:
            self.bound = after if self.bound is None else self.bound
        else:
            self.bound &= after
        return [If(test, then, other)]

    def _copy_bound_names(self) -> set[str] | None:
        return None if self.bound is None else set(self.bound)

    # ---- Assignments ----

    def read_Assign(self, node: ast.Assign) -> list[Statement]:
        if len(node.targets) > 1:
            raise self.error(
                node.targets[1], "an assignment to several targets is not supported", "write a separate assignment for each"
            )
        value = self.read_expression(node.value, self._known_type_or_none(node.targets[0]))
        return [Assign(self.read_and_bind_target(node.targets[0], value.kind), value)]

    def read_AnnAssign(self, node: ast.AnnAssign) -> list[Statement]:
        kind = self._annotated_type(node.annotation)
        if node.value is None:
            return []
        value = self.read_expression_of_exact_type(kind, node.value, ast.unparse(node.target))
        return [Assign(self.read_and_bind_target(node.target, kind), value)]

    def read_AugAssign(self, node: ast.AugAssign) -> list[Statement]:
        name = self.name_of_array(node.target.value) if isinstance(node.target, ast.Subscript) else None
        if isinstance(node.target, ast.Name):
            left: Expression = self.read_expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        elif name is not None:
            left = OldElementValue(self.tree.locals[name].items[0], source_range_of(node.target))
        else:
            raise self.error(node.target, f"an assignment to {ast.unparse(node.target)} is not supported")
        target = self.read_and_bind_target(node.target, left.kind) if name is not None else None
        made = self.make_arithmetic(node, SIGNS[type(node.op)], left, self.read_number(node.value), node.value)
        if target is None:
            return [Assign(self.read_and_bind_target(node.target, made.kind), made)]
        if made.kind != left.kind:
            raise self.type_mismatch_error(node, made.kind, left.kind, f"an element of {name}")
        return [Assign(target, made, augmented=True)]

    def read_and_bind_target(self, node: ast.expr, kind: Kind) -> Target:
        """Check an assignment target, which is assigned from here on."""
        if isinstance(node, ast.Tuple):
            if kind.sort != "tuple" or len(kind.items) != len(node.elts):
                raise self.error(
                    node, f"cannot unpack a value of type {kind} into {len(node.elts)}", "unpack a tuple with as many items"
                )
            return Unpack(tuple(self.read_and_bind_target(item, its) for item, its in zip(node.elts, kind.items, strict=True)))
        if isinstance(node, ast.Subscript) and (name := self.name_of_array(node.value)):
            made = self.read_array_element(node, name)
            if made.kind != kind:
                raise self.type_mismatch_error(node, kind, made.kind, f"an element of {name}")
            self.tree.written.add(name)
            return made
        if not isinstance(node, ast.Name):
            raise self.error(
                node,
                f"an assignment to {ast.unparse(node)} is not supported",
                "variables, tuples of them, and elements of arrays are",
            )
        known = self.tree.locals.get(node.id, kind)
        if kind is NONE or known.sort == "array":
            raise self.error(node, f"{node.id} would be {'None' if kind is NONE else 'an array and something else'}")
        if known != kind:
            raise self.error(node, f"{node.id} is of type {known} elsewhere, and of type {kind} here", "a variable has one type")
        if self.bound is not None:
            self.bound.add(node.id)
        return Local(kind, source_range_of(node), node.id, True)

    # ---- Loops ----

    def _check_no_else_and_contains_try(self, node: ast.While | ast.For) -> bool:
        if node.orelse:
            raise self.error(node.orelse[0], "else of a loop is not supported", "set a variable before break, and test it")
        return any(isinstance(each, ast.Try) for each in ast.walk(node))

    def _read_loop_body(self, body: Sequence[ast.stmt], *, endless: bool) -> list[Statement]:
        """Check a loop body. Only variables assigned before the loop are assigned after it; after an endless loop, those
        assigned at every break.
        """
        before = self._copy_bound_names()
        self._loops.append([])
        made = self.read_block(body)
        breaks = self._loops.pop()
        self.bound = before if not endless else set[str].intersection(*breaks) if breaks else None
        return made

    def read_While(self, node: ast.While) -> list[Statement]:
        tries = self._check_no_else_and_contains_try(node)
        test = self.read_truth_value(node.test)
        return [While(test, self._read_loop_body(node.body, endless=isinstance(test, Constant) and bool(test.value)), tries)]

    def read_For(self, node: ast.For) -> list[Statement]:
        tries, at, source = self._check_no_else_and_contains_try(node), source_range_of(node.iter), node.iter
        before = self._copy_bound_names()
        if (name := self.name_of_array(source)) is not None:
            element = self.tree.locals[name].items[0]
            target = self.read_and_bind_target(node.target, element)
            made: Statement = ForArray(target, name, element, self._read_loop_body(node.body, endless=False), tries, at)
        elif (call := self.read_call_of_generator_or_coroutine(source, "generator")) is not None:
            if call.signature.yields is NONE:
                raise self.error(
                    source,
                    f"{call.signature.name}() yields no value",
                    "iterate over a generator with a type to yield: Iterator[int]",
                )
            if call.signature.sends is not NONE:
                message = f"{call.signature.name}() is sent values of type {call.signature.sends}, but a for loop sends None"
                raise self.error(source, message, "annotate it as Iterator[...], or use yield from")
            target = self.read_and_bind_target(node.target, call.signature.yields)
            made = ForGenerator(target, call, self._read_loop_body(node.body, endless=False), tries)
        else:
            start, stop, step = self._range_bounds(source)
            target = self.read_and_bind_target(node.target, INT)
            made = ForRange(target, start, stop, step, self._read_loop_body(node.body, endless=False), tries, at)
        self.bound = before
        return [made]

    def _item_type_of_iterable(self, node: ast.For, source: ast.expr) -> Kind:
        if (name := self.name_of_array(source)) is not None:
            return self.tree.locals[name].items[0]
        call = self.read_call_of_generator_or_coroutine(source, "generator")
        return INT if call is None else call.signature.yields

    def _range_bounds(self, node: ast.expr) -> tuple[Expression, Expression, Expression]:
        if (
            not isinstance(node, ast.Call)
            or self.resolve_global_name(node.func) is not range
            or not 1 <= len(node.args) <= 3
            or node.keywords
        ):
            raise self.error(
                node,
                "a for loop over this is not supported",
                "range(...), an array and a call of a compiled generator are iterated over",
            )
        numbers = [self.convert_to_kind(self.read_number(each), INT) for each in node.args]
        for number, argument in zip(numbers, node.args, strict=True):
            if number.kind is not INT or getattr(getattr(number, "of", None), "kind", INT) is FLOAT:
                raise self.error(argument, "range() needs ints, not a float", "convert it with int(...)")
        zero, one = Constant(INT, source_range_of(node), 0), Constant(INT, source_range_of(node), 1)
        if len(numbers) == 1:
            return zero, numbers[0], one
        return numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else one

    def _read_loop_exit(self, node: ast.stmt, word: str) -> list[Statement]:
        if not self._loops:
            raise self.error(
                node,
                f"{word} out of a finally is not supported: it would swallow exceptions",
                f"set a flag, and {word} after the try statement",
            )
        if word == "break" and self.bound is not None:
            self._loops[-1].append(self.bound)
        self.bound = None
        return [LoopExit(word)]

    def read_Break(self, node: ast.Break) -> list[Statement]:
        return self._read_loop_exit(node, "break")

    def read_Continue(self, node: ast.Continue) -> list[Statement]:
        return self._read_loop_exit(node, "continue")

    # ---- Exceptions ----

    def read_Try(self, node: ast.Try) -> list[Statement]:
        if node.handlers or node.orelse:
            where = node.handlers[0] if node.handlers else node.orelse[0]
            raise self.error(where, "except is not supported", "use try and finally, and catch the exception in the caller")
        before = self._copy_bound_names()
        body = self.read_block(node.body)
        after, self.bound = self.bound, before
        first = self._copy_bound_names() or set()
        loops, self._loops, cleaning, self.cleaning = self._loops, [], self.cleaning, True
        finally_ = self.read_block(node.finalbody)
        self._loops, self.cleaning = loops, cleaning
        self.bound = None if after is None or self.bound is None else after | (self.bound - first)
        return [Try(body, finally_)]

    def read_Raise(self, node: ast.Raise) -> list[Statement]:
        if node.exc is None or node.cause is not None:
            raise self.error(
                node, "raise supports only raise Error and raise Error(...)", "remove the from clause, or name an exception"
            )
        made = self._read_raised_exception(node, node.exc)
        self.bound = None
        return [made]

    def _read_raised_exception(self, node: ast.AST, error: ast.expr) -> Raise:
        arguments = error.args if isinstance(error, ast.Call) else []
        of: Any = self.resolve_global_name(error.func if isinstance(error, ast.Call) else error)
        if not isinstance(of, type) or not issubclass(of, BaseException):
            raise self.error(error, f"{ast.unparse(error)} is not an exception", "raise a class that derives from BaseException")
        if (isinstance(error, ast.Call) and error.keywords) or not all(isinstance(each, ast.Constant) for each in arguments):
            raise self.error(
                error, "the arguments of an exception must be constants", "raise it with a constant text, without keywords"
            )
        return Raise(of, tuple(each.value for each in arguments if isinstance(each, ast.Constant)), source_range_of(node))

    def read_Assert(self, node: ast.Assert) -> list[Statement]:
        if node.msg is not None and not isinstance(node.msg, ast.Constant):
            raise self.error(node.msg, "the message of an assertion must be a constant", "use a constant text")
        arguments = (node.msg.value,) if isinstance(node.msg, ast.Constant) else ()
        return (
            [Assert(self.read_truth_value(node.test), Raise(AssertionError, arguments, source_range_of(node)))] if __debug__ else []
        )
