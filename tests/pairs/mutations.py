"""Wrong and unusual neighbours of a usual call: one argument of another type, shape or range."""

import ast
import copy
import random
from collections.abc import Iterator

__all__ = ["neighbours"]

_ARRAYS = {"x", "o", "a", "photo"}
_STEPS = {
    "infer", "trained", "slopes", "filled", "layer", "begun", "cell", "recurrent", "measured",
    "updated", "initialized", "rates", "batches", "taken", "stored", "pulled", "after", "net",
    "bound", "batch", "v", "other", "list", "dict", "next", "iter", "len", "getattr", "str",
}  # fmt: skip
_DTYPES = ("int32", "float64", "float16", "uint8", "bool", "int64", "int8")
_INTEGERS = ("-1", "0", "100", "1.5", "'odd'", "None", "(2,)", "True", "-7", "onp.int64(2)", "[1]")
_NUMBERS = ("-1.0", "0.0", "100.0", "'odd'", "None", "nan", "(0.5,)", "1", "'0.25'", "x(1)")
_TRUTHS = ("None", "'odd'", "2", "'True'", "(True,)", "0", "1.5")
_TEXTS = ("'odd'", "1", "None", "''", "('a',)", "True")
_TUPLES = ("2", "()", "None", "'odd'", "(-1, 2)", "(0, 0)", "(1.5, 2)", "(100,)", "(1, 1, 1, 1, 1)")
_MAPPED = ("None", "2", "'odd'", "{}")


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _is_array(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) in _ARRAYS


def _shape(node: ast.Call) -> list[int] | None:
    if _called(node) not in ("x", "o"):
        return None
    try:
        return [int(ast.literal_eval(arg)) for arg in node.args]
    except (ValueError, TypeError):
        return None


def _arrays(node: ast.Call) -> Iterator[str]:
    """Arrays in place of one: of another dtype, another shape, or none at all."""
    name = _called(node)
    kept = [ast.unparse(keyword) for keyword in node.keywords if keyword.arg != "dtype"]
    args = [ast.unparse(arg) for arg in node.args]
    for dtype in _DTYPES:
        positional = args[:1] if name == "a" else args
        yield f"{name}({', '.join([*positional, *kept, f'dtype={dtype!r}'])})"
    shape = _shape(node)
    dtyped = [ast.unparse(keyword) for keyword in node.keywords]
    if shape is not None:
        others = [shape[1:], [1, *shape], [*shape, 1], [*shape[:-1], 0], [n + 1 for n in shape]]
        if shape:
            others += [[*shape[:-1], shape[-1] + 1], [shape[0] + 1, *shape[1:]], [1] * len(shape)]
        for other in others:
            if other != shape:
                yield f"{name}({', '.join([*map(str, other), *dtyped])})"
    yield from ("None", "2.0", "'odd'", "[1.0, 2.0]", "o(2, 3)", "other(2, 3)", "v('s')")
    yield f"[{ast.unparse(node)}]"
    if name == "x":
        yield f"other({', '.join([*args, *dtyped])})"
        yield f"o({', '.join([*args, *dtyped])})"


def _literals(node: ast.expr) -> tuple[str, ...]:  # noqa: PLR0911 - one type a line
    """What may stand for a literal."""
    if isinstance(node, ast.UnaryOp):
        return _literals(node.operand)
    if isinstance(node, ast.Dict):
        return _MAPPED
    if isinstance(node, ast.Tuple | ast.List):
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return ("None", "2", "'odd'", "()")
        more = (
            repr((*value, 1)),
            repr(tuple(value[:-1])),
            repr(list(value)),
            repr(str(tuple(value))),
        )
        return (*_TUPLES, *more)
    if not isinstance(node, ast.Constant):
        return ()
    if isinstance(node.value, bool):
        return (*_TRUTHS, repr(not node.value))
    if isinstance(node.value, int):
        return (*_INTEGERS, repr(str(node.value)), repr(float(node.value)))
    if isinstance(node.value, float):
        return _NUMBERS
    if isinstance(node.value, str):
        return _TEXTS
    return ("1", "'odd'", "(1,)", "x(2)")


def _replacements(node: ast.expr) -> Iterator[str]:
    if _is_array(node):
        assert isinstance(node, ast.Call)
        yield from _arrays(node)
    else:
        yield from _literals(node)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls whose arguments may change, outer ones first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not _is_array(node):
            yield node


def _swapped(tree: ast.Expression, target: ast.expr, text: str) -> str:
    """The call with one expression replaced."""
    memo: dict[int, object] = {}
    changed = copy.deepcopy(tree, memo)
    twin = memo[id(target)]
    for parent in ast.walk(changed):
        for _, value in ast.iter_fields(parent):
            if value is twin or (isinstance(value, list) and any(v is twin for v in value)):
                _put(parent, twin, ast.parse(text, mode="eval").body)
                return ast.unparse(changed)
    raise AssertionError(text)


def _put(parent: ast.AST, old: object, new: ast.expr) -> None:
    for field, value in ast.iter_fields(parent):
        if value is old:
            setattr(parent, field, new)
        elif isinstance(value, list):
            value[:] = [new if item is old else item for item in value]


def _without(tree: ast.Expression, call: ast.Call, argument: object) -> str:
    """The call without an argument."""
    memo: dict[int, object] = {}
    changed = copy.deepcopy(tree, memo)
    twin, gone = memo[id(call)], memo[id(argument)]
    assert isinstance(twin, ast.Call)
    twin.args = [arg for arg in twin.args if arg is not gone]
    twin.keywords = [keyword for keyword in twin.keywords if keyword is not gone]
    return ast.unparse(changed)


def _with(tree: ast.Expression, call: ast.Call, extra: str) -> str:
    """The call with one argument more."""
    added = ast.parse(f"f({extra})", mode="eval").body
    assert isinstance(added, ast.Call)
    memo: dict[int, object] = {}
    changed = copy.deepcopy(tree, memo)
    twin = memo[id(call)]
    assert isinstance(twin, ast.Call)
    twin.args += added.args
    twin.keywords += added.keywords
    return ast.unparse(changed)


def _of_call(tree: ast.Expression, call: ast.Call) -> Iterator[list[str]]:
    """Neighbours that one call of the text gives, by the argument they change."""
    own = _called(call) not in _STEPS
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        if own or _is_array(argument) or isinstance(argument, ast.Tuple):
            yield [_swapped(tree, argument, text) for text in _replacements(argument)]
        if isinstance(argument, ast.List):
            inner = [item for item in argument.elts if _is_array(item)]
            for item in inner:
                yield [_swapped(tree, item, text) for text in _replacements(item)]
    if own:
        arguments = (*call.args, *call.keywords)
        yield [_without(tree, call, argument) for argument in arguments]
        yield [_with(tree, call, extra) for extra in ("odd=1", "x(2, 3)", "1")]


def _of_operands(tree: ast.Expression) -> list[list[str]]:
    """Neighbours by operands, indices and the arrays whose methods are called."""
    operands: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            operands += [node.left, node.right]
        elif isinstance(node, ast.Compare):
            operands += [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            operands += [node.value, node.slice]
        elif isinstance(node, ast.Attribute):
            operands.append(node.value)
    groups = ([_swapped(tree, o, text) for text in _replacements(o)] for o in operands)
    return [group for group in groups if group]


def neighbours(text: str, count: int) -> list[str]:
    """``count`` neighbours of a call, the same ones each time, of as many arguments as can be.

    Example:
        >>> neighbours("nd.relu(x(2, 3))", 2)
        ['nd.relu(x(2, 3, 1))', 'nd.relu()']
    """
    tree = ast.parse(text, mode="eval")
    rng = random.Random(text)  # noqa: S311 - which neighbours
    groups = [group for call in _calls(tree) for group in _of_call(tree, call) if group]
    groups += _of_operands(tree)
    for group in groups:
        rng.shuffle(group)
    rng.shuffle(groups)
    found: list[str] = []
    while groups and len(found) < count:
        for group in groups:
            candidate = group.pop()
            if candidate != text and candidate not in found:
                found.append(candidate)
        groups = [group for group in groups if group]
    return found[:count]
