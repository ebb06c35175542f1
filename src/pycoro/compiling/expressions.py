"""Type-check expressions: from Python's syntax to the typed tree, or a diagnostic at their place."""

from __future__ import annotations

import ast
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycoro.compiling.diagnostics import compile_error, source_range_of
from pycoro.compiling.kinds import BOOL, FLOAT, INT, NONE, Kind, kind_of, tuple_of
from pycoro.compiling.tree import (
    ArrayElement,
    Builtin,
    Call,
    Compare,
    Compute,
    ConditionalExpression,
    Constant,
    Convert,
    Delegate,
    Expression,
    Function,
    Length,
    Local,
    Logic,
    Negate,
    PythonCall,
    PythonCallee,
    Signature,
    TruthTest,
    TupleDisplay,
    TupleItem,
    Yield,
)  # fmt: skip
from pycoro.errors import CompileError

__all__ = ["SIGNS", "Expressions", "Unknown"]

SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@", ast.USub: "-", ast.UAdd: "+",
    ast.Invert: "~", ast.Not: "not", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_WORDS = {
    "Dict": "a dict", "Set": "a set", "List": "a list", "ListComp": "a comprehension", "SetComp": "a comprehension",
    "DictComp": "a comprehension", "GeneratorExp": "a generator expression", "Lambda": "a lambda", "JoinedStr": "an f-string",
    "Starred": "a starred expression", "NamedExpr": "an assignment within an expression", "Attribute": "an attribute",
    "Slice": "a slice",
}  # fmt: skip
_HINTS = {
    "List": "use a parameter annotated as list[int], or yield the items",
    "NamedExpr": "assign in a statement before it",
    "GeneratorExp": "write a decorated generator function",
}
_MATH: Mapping[Callable[..., Any], Kind] = {
    math.sqrt: FLOAT, math.floor: INT, math.ceil: INT, math.trunc: INT, math.fabs: FLOAT, math.sin: FLOAT, math.cos: FLOAT,
    math.isnan: BOOL, math.isinf: BOOL, math.isfinite: BOOL,
}  # fmt: skip


class Unknown(Exception):
    """Raised if the type of a variable is not yet inferred."""


class Expressions:
    """Type checker of one function's expressions. ``names`` are the values of names that it does not assign."""

    def __init__(self, tree: Function, names: Mapping[str, Any], stored: set[str]) -> None:
        self.tree = tree
        self.names = names
        self.stored = stored
        self.bound: set[str] | None = {name for name, _ in tree.signature.parameters}
        """Variables that are definitely assigned here; None if unreachable."""
        self.cleaning = False

    def error(self, where: ast.AST, message: str, hint: str = "") -> CompileError:
        return compile_error(self.tree.file, where, message, hint)

    # ---- Values ----

    def read_expression(self, node: ast.expr, wanted: Kind | None = None) -> Expression:
        """``wanted`` is the type of the assigned variable, if known. An awaited value gets this type."""
        if isinstance(node, ast.Await):
            return self.read_await(node, wanted)
        if isinstance(node, ast.Yield):
            return self.read_yield(node, taken=True)
        name = type(node).__name__
        read: Callable[[Any], Expression] | None = getattr(self, f"read_{name}", None)
        if read is None:
            raise self.error(node, f"{_WORDS.get(name, name)} is not supported", _HINTS.get(name, ""))
        return read(node)

    def read_number(self, node: ast.expr) -> Expression:
        made = self.read_expression(node)
        if not made.kind.is_number:
            raise self.error(node, f"this must be a number, not a value of type {made.kind}", "use an int, float or bool")
        return made

    def read_expression_of_exact_type(self, kind: Kind, node: ast.expr, what: str) -> Expression:
        """Check an expression of exactly that type."""
        made = self.read_expression(node, kind)
        if made.kind != kind:
            raise self.type_mismatch_error(node, made.kind, kind, what)
        return made

    def type_mismatch_error(self, node: ast.AST, found: Kind, wanted: Kind, what: str) -> CompileError:
        hint = f"convert it with {wanted}(...)" if found.is_number and wanted.is_number else ""
        return self.error(node, f"{what} must be of type {wanted}, not {found}", hint)

    def read_truth_value(self, node: ast.expr) -> Expression:
        """Check an expression as a truth value."""
        at = source_range_of(node)
        if isinstance(node, ast.BoolOp):
            return self.combine_by_logic_operator(node, [self.read_truth_value(each) for each in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Negate(BOOL, at, "not", self.read_truth_value(node.operand))
        if isinstance(node, ast.Name) and (found := self.tree.locals.get(node.id)) and found.sort == "array":
            return TruthTest(BOOL, at, Length(INT, at, node.id))
        made = self.read_expression(node)
        return made if made.kind is BOOL else TruthTest(BOOL, at, made)

    def combine_by_logic_operator(self, node: ast.BoolOp, values: Sequence[Expression]) -> Expression:
        word = "and" if isinstance(node.op, ast.And) else "or"
        made = values[-1]
        for left in reversed(values[:-1]):
            if left.kind != made.kind:
                raise self.error(node, f"the operands have different types, {left.kind} and {made.kind}", "convert one of them")
            made = Logic(left.kind, source_range_of(node), word, left, made)
        return made

    def read_Constant(self, node: ast.Constant) -> Expression:
        return self.make_constant(node, node.value)

    def make_constant(self, node: ast.expr, value: object) -> Expression:
        kinds: dict[type, Kind] = {int: INT, float: FLOAT, bool: BOOL, types.NoneType: NONE}
        kind = kinds.get(type(value))
        if kind is None:
            raise self.error(
                node, f"a {type(value).__name__} is not supported: use ints, floats, bools, or tuples and arrays of them"
            )
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise self.error(node, "this int has more than 64 bits", "use a number from -2**63 to 2**63 - 1, or a float")
        assert value is None or isinstance(value, int | float)
        return Constant(kind, source_range_of(node), value)

    def read_Name(self, node: ast.Name) -> Expression:
        if node.id not in self.stored:
            if node.id not in self.names:
                raise self.error(
                    node, f"{node.id} is not defined", "assign it before, or define it at module level before the decorator"
                )
            return self.make_constant(node, self.names[node.id])
        kind = self.tree.locals.get(node.id)
        if kind is None:
            raise Unknown(node.id)
        if kind.sort == "array":
            raise self.error(node, f"{node.id} is an array, which can only be indexed, iterated over, passed to len() or passed on")
        sure = self.bound is None or node.id in self.bound
        if not sure:
            self.tree.unsure.add(node.id)
        return Local(kind, source_range_of(node), node.id, sure)

    def read_Attribute(self, node: ast.Attribute) -> Expression:
        return self.make_constant(node, self.resolve_global_name(node))

    def resolve_global_name(self, node: ast.expr) -> Any:
        """Return the value of a global name or a module attribute."""
        if isinstance(node, ast.Name) and node.id not in self.stored and node.id in self.names:
            return self.names[node.id]
        if isinstance(node, ast.Attribute):
            module = self.resolve_global_name(node.value)
            if isinstance(module, types.ModuleType) and hasattr(module, node.attr):
                return getattr(module, node.attr)
        raise self.error(
            node,
            f"{ast.unparse(node)} is not defined outside of the function",
            "only functions and constants of modules are available",
        )

    # ---- Operations ----

    def read_BinOp(self, node: ast.BinOp) -> Expression:
        left, right = self.read_number(node.left), self.read_number(node.right)
        return self.make_arithmetic(node, SIGNS[type(node.op)], left, right, node.right)

    def make_arithmetic(self, node: ast.AST, sign: str, left: Expression, right: Expression, right_node: ast.expr) -> Expression:
        for side in (left, right):
            if not side.kind.is_number:
                raise self.error(node, f"{sign} of a value of type {side.kind} is not supported")
        floats = FLOAT in (left.kind, right.kind)
        if sign == "**":
            return self.make_power(node, left, right, right_node)
        if sign == "@" or (floats and sign in ("<<", ">>", "&", "|", "^")):
            raise self.error(node, f"{left.kind} and {right.kind} have no {sign}")
        kind = FLOAT if floats or sign == "/" else INT
        if sign in ("&", "|", "^") and left.kind is right.kind is BOOL:
            return Compute(BOOL, source_range_of(node), sign, left, right)
        inner = FLOAT if floats else INT
        return Compute(kind, source_range_of(node), sign, self.convert_to_kind(left, inner), self.convert_to_kind(right, inner))

    def make_power(self, node: ast.AST, left: Expression, right: Expression, exponent: ast.expr) -> Expression:
        if not isinstance(right, Constant) or right.kind is not INT or right.value is None or not 0 <= right.value <= 64:
            raise self.error(exponent, "the exponent must be a literal int from 0 to 64", "use math.sqrt(...) for a root")
        base = self.convert_to_kind(left, FLOAT if left.kind is FLOAT else INT)
        return Compute(base.kind, source_range_of(node), "**", base, right)

    def convert_to_kind(self, made: Expression, kind: Kind) -> Expression:
        return made if made.kind == kind else Convert(kind, made.place, made)

    def read_UnaryOp(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Not):
            return self.read_truth_value(node)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value = node.operand.value
            if isinstance(value, int) and value == 2**63:  # valid as an operand of negation only
                return self.make_constant(node, -value)
        made = self.read_number(node.operand)
        sign = SIGNS[type(node.op)]
        if sign == "~" and made.kind is FLOAT:
            raise self.error(node, "a float has no ~", "convert it by int(...)")
        made = self.convert_to_kind(made, INT if made.kind is BOOL else made.kind)
        return made if sign == "+" else Negate(made.kind, source_range_of(node), sign, made)

    def read_Compare(self, node: ast.Compare) -> Expression:
        operands = [self.read_number(each) for each in (node.left, *node.comparators)]
        signs = tuple(SIGNS.get(type(op), "") for op in node.ops)
        if "" in signs:
            raise self.error(node, "is and in are not supported", "compare values with ==")
        return Compare(
            BOOL, source_range_of(node), signs, tuple(self.convert_to_kind(it, INT) if it.kind is BOOL else it for it in operands)
        )

    def read_BoolOp(self, node: ast.BoolOp) -> Expression:
        return self.combine_by_logic_operator(node, [self.read_expression(each) for each in node.values])

    def read_IfExp(self, node: ast.IfExp) -> Expression:
        test, then, other = self.read_truth_value(node.test), self.read_expression(node.body), self.read_expression(node.orelse)
        if then.kind != other.kind:
            raise self.error(node, f"the operands have different types, {then.kind} and {other.kind}", "convert one of them")
        return ConditionalExpression(then.kind, source_range_of(node), test, then, other)

    # ---- Tuples and arrays ----

    def read_Tuple(self, node: ast.Tuple) -> Expression:
        items = tuple(self.read_expression(each) for each in node.elts)
        if not items or any(item.kind is NONE for item in items):
            raise self.error(node, "a tuple must have items, which are numbers or tuples")
        return TupleDisplay(tuple_of(item.kind for item in items), source_range_of(node), items)

    def name_of_array(self, node: ast.expr) -> str | None:
        """Return the name of an array; None for other expressions."""
        if isinstance(node, ast.Name) and (kind := self.tree.locals.get(node.id)) and kind.sort == "array":
            return node.id
        return None

    def read_Subscript(self, node: ast.Subscript) -> Expression:
        if (name := self.name_of_array(node.value)) is not None:
            return self.read_array_element(node, name)
        made = self.read_expression(node.value)
        if made.kind.sort != "tuple":
            raise self.error(node.value, f"a value of type {made.kind} has no items")
        index = self.read_expression(node.slice)
        negative = isinstance(index, Negate) and index.sign == "-"
        literal = index.of if isinstance(index, Negate) and negative else index
        at = literal.value if isinstance(literal, Constant) else None
        count = len(made.kind.items)
        at = -at if isinstance(at, int) and negative else at
        if not isinstance(at, int) or not -count <= at < count:
            raise self.error(node.slice, f"the index of a tuple must be a literal int, from {-count} to {count - 1}")
        return TupleItem(made.kind.items[at], source_range_of(node), made, at % count)

    def read_array_element(self, node: ast.Subscript, name: str) -> ArrayElement:
        index = self.convert_to_kind(self.read_number(node.slice), INT) if not isinstance(node.slice, ast.Slice) else None
        if index is None or index.kind is not INT:
            raise self.error(node.slice, "an array index must be an int", "convert it by int(...)")
        if isinstance(index, Convert) and index.of.kind is FLOAT:
            raise self.error(node.slice, "an array index must be an int, not a float", "convert it with int(...)")
        return ArrayElement(self.tree.locals[name].items[0], source_range_of(node), name, index)

    # ---- Calls ----

    def read_Call(self, node: ast.Call) -> Expression:
        of = self.resolve_global_name(node.func)
        if node.keywords:
            raise self.error(node.keywords[0], "arguments must be passed by position", "remove the names of the arguments")
        if (call := self.read_call_of_compiled_function(node, of)) is not None:
            if call.signature.sort != "function":
                word = {"generator": "iterated over, or run with yield from", "coroutine": "awaited"}[call.signature.sort]
                raise self.error(node, f"{call.signature.name}() is a {call.signature.sort} and must be {word}")
            return call
        if of is len and len(node.args) == 1 and (name := self.name_of_array(node.args[0])):
            return Length(INT, source_range_of(node), name)
        return self.read_call_of_builtin(node, of)

    def read_call_of_compiled_function(self, node: ast.Call, of: object) -> Call | None:
        """Check a call of a compiled function, possibly recursive."""
        signature: Signature
        tree: object = getattr(of, "_tree", None)
        if of is self.tree:
            signature, tree = self.tree.signature, None
        elif isinstance(tree, Function):
            signature = tree.signature
            if tree not in self.tree.calls:
                self.tree.calls.append(tree)
        else:
            return None
        self.tree.recursive = self.tree.recursive or tree is None
        if len(node.args) != len(signature.parameters):
            raise self.error(node, f"{signature.name}() takes {len(signature.parameters)} arguments, not {len(node.args)}")
        arguments: list[Expression | str] = []
        for (name, kind), argument in zip(signature.parameters, node.args, strict=True):
            if kind.sort != "array":
                arguments.append(self.read_expression_of_exact_type(kind, argument, f"the argument {name}"))
                continue
            array = self.name_of_array(argument)
            if array is None or self.tree.locals[array] != kind:
                raise self.error(
                    argument, f"the argument {name} must be of type {kind}", "pass an array parameter of this function"
                )
            if tree is None:
                self.tree.passed.add((array, name))
            elif name in tree.written:
                self.tree.written.add(array)
            arguments.append(array)
        return Call(signature.returns, source_range_of(node), tree, signature, tuple(arguments))

    def read_call_of_builtin(self, node: ast.Call, of: Any) -> Expression:
        at, name = source_range_of(node), getattr(of, "__name__", repr(of))
        converts: dict[object, Kind] = {int: INT, float: FLOAT, bool: BOOL}
        is_type = isinstance(of, type)
        known = (
            (is_type and of in converts)
            or of in (abs, round)
            or (callable(of) and not is_type and _is_hashable(of) and of in _MATH)
        )
        if not known and of not in (min, max):
            raise self.error(
                node.func,
                f"{name} is not a compiled function",
                "decorate it with pycoro.compile, if it is in the subset" if not is_type else "",
            )
        if (len(node.args) < 2) if of in (min, max) else len(node.args) != 1:
            raise self.error(node, f"{name}() needs {'at least two arguments' if of in (min, max) else 'one argument'}")
        if of is bool:
            return self.read_truth_value(node.args[0])
        arguments = [self.read_number(each) for each in node.args]
        if is_type:
            return Builtin(INT, at, "int", tuple(arguments)) if of is int and arguments[0].kind is FLOAT else self.convert_to_kind(
                arguments[0], converts[of]
            )  # fmt: skip
        if of in (min, max, abs, round):
            kinds = {argument.kind for argument in arguments}
            if len(kinds) > 1:
                raise self.error(node, f"{name}() needs arguments of one type", "convert them by int(...) or float(...)")
            if of is round and arguments[0].kind is not FLOAT:
                return self.convert_to_kind(arguments[0], INT)
            if of is abs:
                arguments = [self.convert_to_kind(each, INT) if each.kind is BOOL else each for each in arguments]
            return Builtin(INT if of is round else arguments[0].kind, at, name, tuple(arguments))
        if name in ("floor", "ceil", "trunc") and arguments[0].kind is not FLOAT:
            return self.convert_to_kind(arguments[0], INT)
        return Builtin(_MATH[of], at, name, tuple(self.convert_to_kind(each, FLOAT) for each in arguments))

    # ---- Suspends ----

    def check_suspend_is_allowed(self, node: ast.AST, word: str) -> None:
        if self.cleaning:
            raise self.error(
                node, f"{word} in a finally is not supported, because it cannot be resumed there", "suspend before the try ends"
            )

    def read_yield(self, node: ast.Yield, *, taken: bool) -> Expression:
        signature = self.tree.signature
        self.check_suspend_is_allowed(node, "yield")
        if signature.sort == "coroutine":
            raise self.error(node, "an async def that yields is not supported", "write a generator with def")
        where = node.value or node
        if node.value is None:
            value: Expression = Constant(NONE, source_range_of(node), None)
            if signature.yields is not NONE:
                raise self.type_mismatch_error(where, NONE, signature.yields, "the yielded value")
        else:
            value = self.read_expression_of_exact_type(signature.yields, node.value, "the yielded value")
        return Yield(signature.sends, source_range_of(node), value, taken and signature.sends is not NONE)

    def read_YieldFrom(self, node: ast.YieldFrom) -> Expression:
        self.check_suspend_is_allowed(node, "yield from")
        call = self.read_call_of_generator_or_coroutine(node.value, "generator")
        if call is None:
            raise self.error(
                node.value, "yield from needs a call of a compiled generator", "iterate over other objects, and yield each item"
            )
        mine, its = self.tree.signature, call.signature
        if mine.yields != its.yields or its.sends not in (NONE, mine.sends):
            raise self.error(
                node,
                f"{its.name}() yields {its.yields} and is sent {its.sends}, "
                f"but {mine.name}() yields {mine.yields} and is sent {mine.sends}",
            )
        self.tree.delegates = True
        return Delegate(its.returns, source_range_of(node), call)

    def read_call_of_generator_or_coroutine(self, node: ast.expr, sort: str) -> Call | None:
        """Check a call of a compiled generator or coroutine."""
        if not isinstance(node, ast.Call) or node.keywords:
            return None
        try:
            of = self.resolve_global_name(node.func)
        except CompileError:
            return None
        call = self.read_call_of_compiled_function(node, of)
        return call if call is not None and call.signature.sort == sort else None

    def read_await(self, node: ast.Await, wanted: Kind | None) -> Expression:
        self.check_suspend_is_allowed(node, "await")
        call = self.read_call_of_generator_or_coroutine(node.value, "coroutine")
        if call is not None:
            self.tree.delegates = True
            return Delegate(call.kind, source_range_of(node), call)
        if not isinstance(node.value, ast.Call) or node.value.keywords:
            raise self.error(node.value, "await needs a call of a compiled coroutine, or of a function that returns an awaitable")
        of: Any = self.resolve_global_name(node.value.func)
        arguments = tuple(self.read_expression(each) for each in node.value.args)
        returns = _annotated_coroutine_result(of) if wanted is None else wanted
        if not callable(of) or getattr(of, "_tree", None) is not None or of is self.tree:
            raise self.error(node.value, f"{ast.unparse(node.value.func)}() does not return an awaitable")
        if returns is None:
            raise self.error(
                node, f"the type of the result of {ast.unparse(node.value.func)}() is unknown",
                "assign it to a variable with an annotation: x: int = await ...",
            )  # fmt: skip
        self.tree.python_calls.append(PythonCallee(of, tuple(each.kind for each in arguments), returns))
        return PythonCall(returns, source_range_of(node), len(self.tree.python_calls) - 1, arguments)


def _is_hashable(of: object) -> bool:
    return type(of).__hash__ is not None


def _annotated_coroutine_result(of: Any) -> Kind | None:
    """Return the annotated result type of an ordinary coroutine."""
    if not inspect.iscoroutinefunction(of):
        return None
    try:
        return kind_of(typing.get_type_hints(of).get("return", ...))
    except (NameError, TypeError):
        return None
