"""Read a Python function: its source, its signature, and the values of its names."""

from __future__ import annotations
import __future__

import ast
import builtins
import collections.abc
import functools
import inspect
import linecache
import typing
import warnings
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from pycoro.compiling.diagnostics import compile_error
from pycoro.compiling.kinds import NONE, SLOTS, Kind, kind_of
from pycoro.compiling.reading import Body
from pycoro.compiling.tree import Function, Place, Signature

__all__ = ["read_function_source"]

_FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
_GENERATORS = (collections.abc.Generator, collections.abc.Iterator, collections.abc.Iterable)
Definition: typing.TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


def _code_and_nested_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _code_and_nested_codes(each)


@functools.lru_cache(maxsize=1)  # the functions of a file are decorated consecutively
def _parse_codes_and_definitions(text: str, file: str, flags: int) -> tuple[frozenset[CodeType], dict[tuple[str, int], Definition]]:
    """Parse a file, and return its functions by name and first line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # importing the file has shown the warnings
            parsed = ast.parse(text)
            made = compile(parsed, file, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return frozenset(), {}
    found: dict[tuple[str, int], Definition] = {}
    for node in ast.walk(parsed):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault((node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])), node)
    return frozenset(_code_and_nested_codes(made)), found


def _definition_of_code(code: CodeType, file: str, lines: list[str]) -> Definition | None:
    """Return the definition in the text of a file that compiles to this code."""
    codes, functions = _parse_codes_and_definitions("".join(lines), file, code.co_flags & _FUTURES | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    rewritten = any(name.startswith("@py") for name in code.co_varnames)  # pytest rewrote its assertions
    return functions.get((code.co_name, code.co_firstlineno)) if rewritten or code in codes else None


def _file_and_definition_of(function: FunctionType) -> tuple[str, Definition]:
    """Return the file, and the syntax tree with its positions."""
    code = function.__code__
    file = inspect.getsourcefile(function) or code.co_filename
    lines = linecache.getlines(file, function.__globals__)
    found = _definition_of_code(code, file, lines)
    if found is None:  # the cached file may be older than the import
        linecache.checkcache(file)
        lines = linecache.getlines(file, function.__globals__)
        found = _definition_of_code(code, file, lines)
    if found is not None:
        return file, found
    at, name = Place(code.co_firstlineno, 0, code.co_firstlineno, 0), function.__name__
    if code.co_name == "<lambda>":
        raise compile_error(file, at, "a lambda is not supported", "write it as a def")
    if not lines:
        raise compile_error(file, at, f"the source of {name}() is unavailable", "define it in a file")
    raise compile_error(
        file, at, f"the source of {name}() differs from the running code: the file has changed, or an import hook rewrites it",
        "import the module again",
    )  # fmt: skip


def _outer_names(function: FunctionType) -> dict[str, Any]:
    """Return the values of its global and nonlocal names."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known: dict[str, Any] = {}
    for name, cell in cells:
        try:
            known[name] = cell.cell_contents
        except ValueError:  # unassigned yet: possibly the function itself
            continue
    return vars(builtins) | function.__globals__ | known


def _classify_function(file: str, node: Definition, function: FunctionType) -> str:
    flags = function.__code__.co_flags
    if flags & inspect.CO_ASYNC_GENERATOR:
        raise compile_error(file, node, "an async def that yields is not supported", "write a generator with def")
    return "generator" if flags & inspect.CO_GENERATOR else "coroutine" if flags & inspect.CO_COROUTINE else "function"


def _read_parameters(file: str, node: Definition, hints: dict[str, Any], in_class: bool) -> list[tuple[str, Kind]]:
    arguments = node.args
    for odd in (arguments.vararg, arguments.kwarg):
        if odd is not None:
            raise compile_error(file, odd, "*args and **kwargs are not supported", "name each parameter")
    parameters: list[tuple[str, Kind]] = []
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg not in hints and in_class and not parameters:
            message = f"{argument.arg} is an instance of a class, which is not supported"
            raise compile_error(
                file, argument, message, "write @staticmethod above @pycoro.compile, and pass the attributes as arguments"
            )
        if argument.arg not in hints:
            raise compile_error(
                file, argument, f"parameter {argument.arg} needs a type annotation", f"annotate it: {argument.arg}: int"
            )
        kind = kind_of(hints[argument.arg])
        if kind is None or kind is NONE:
            written = ast.unparse(argument.annotation) if argument.annotation else ""
            raise compile_error(
                file, argument, f"a parameter of type {written} is not supported",
                "use int, float, bool, tuples of them, or lists of int, float or bool",
            )  # fmt: skip
        parameters.append((argument.arg, kind))
    return parameters


def _read_yield_send_return_types(file: str, node: Definition, sort: str, hints: dict[str, Any]) -> tuple[Kind, Kind, Kind]:
    """Return the types that it yields, receives and returns."""
    where = node.returns or node
    if "return" not in hints:
        example = {"generator": "Iterator[int]", "coroutine": "int", "function": "int"}[sort]
        raise compile_error(
            file, Place(node.lineno, node.col_offset, node.lineno, node.col_offset + 3),
            f"{node.name}() needs a return annotation", f"annotate it: -> {example}",
        )  # fmt: skip
    annotation = hints["return"]
    parts: list[Any] = [None, None, annotation]
    if sort == "generator":
        if typing.get_origin(annotation) not in _GENERATORS:
            raise compile_error(
                file, where, "the annotation is not a generator type", "annotate it: -> Iterator[int], or Generator[int, None, str]"
            )
        parts = [*typing.get_args(annotation), None, None][:3]
    kinds = [kind_of(part) for part in parts]
    found = [kind for kind in kinds if kind is not None and kind.sort != "array"]
    if len(found) != 3:
        raise compile_error(file, where, f"{ast.unparse(where)} is not supported", "use int, float, bool, None, or tuples of them")
    return found[0], found[1], found[2]


def _read_signature(file: str, node: Definition, function: FunctionType, names: dict[str, Any]) -> Signature:
    try:
        hints = typing.get_type_hints(function, names)
    except (NameError, TypeError, AttributeError, SyntaxError) as error:
        raise compile_error(file, node, f"the annotations cannot be evaluated: {error}") from None
    sort = _classify_function(file, node, function)
    outside = function.__qualname__.rpartition(".")[0]
    parameters = _read_parameters(file, node, hints, bool(outside) and not outside.endswith("<locals>"))
    yields, sends, returns = _read_yield_send_return_types(file, node, sort, hints)
    if max(sum(kind.slot_count for _, kind in parameters), yields.slot_count, sends.slot_count, returns.slot_count) > SLOTS:
        raise compile_error(file, node, f"more than {SLOTS} numbers in one call or yield are not supported", "pass an array")
    return Signature(node.name, sort, tuple(parameters), returns, yields, sends)


def _mark_arrays_written_by_recursion(tree: Function) -> None:
    """Mark arrays as written if a recursive call writes to them; the call was checked before that was known."""
    known = -1
    while known < (known := len(tree.written)):
        tree.written |= {array for array, parameter in tree.passed if parameter in tree.written}


def read_function_source(function: FunctionType) -> Function:
    """Return the function as a tree. Raises :class:`pycoro.CompileError` if it is outside of the subset."""
    file, node = _file_and_definition_of(function)
    names = _outer_names(function)
    tree = Function(_read_signature(file, node, function, names), file, function.__code__.co_firstlineno)
    if function.__qualname__ == node.name or node.name in function.__code__.co_freevars:
        names[node.name] = tree  # the name after decoration; a method's body does not see its name
    tree.locals.update(tree.signature.parameters)
    parameters = {name for name, _ in tree.signature.parameters}
    stored = parameters | {
        each.id for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }

    def annotation(of: ast.expr) -> object:
        try:
            if isinstance(of, ast.Constant) and isinstance(of.value, str):
                return eval(of.value, dict(names))
            return eval(compile(ast.Expression(of), file, "eval"), dict(names))
        except Exception:  # an annotation may raise anything
            return ...

    body = Body(tree, names, stored, annotation)
    try:
        body.infer_variable_types(ast.Module(node.body, []))
        tree.body = body.read_block(node.body)
    except RecursionError:
        raise compile_error(
            file, node, f"an expression in {node.name}() is nested too deeply", "split it into several statements"
        ) from None
    _mark_arrays_written_by_recursion(tree)
    if body.bound is not None and tree.signature.returns is not NONE:
        raise compile_error(
            file,
            node.body[-1],
            f"{node.name}() may end without a value, but returns {tree.signature.returns}",
            "end it with a return statement",
        )
    return tree
