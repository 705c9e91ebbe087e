"""Operators of MXNet 2 composed of operators of 1.9.

So inference, gradients, passes and files need no additions for them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, np, npx
from hy_ndarray.np.calls import call, call_on
from hy_symbol.graph.name import Prefix
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = ["composed", "is_composed"]

Attributes = Mapping[str, str]
Composition = Callable[[Sequence[NumpySymbol], Attributes], NumpySymbol]


def is_composed(kind: str, attrs: Attributes) -> bool:
    """Return whether an operator of MXNet 2 is replaced by nodes of 1.9."""
    return kind in _COMPOSED or (kind == "Activation" and attrs.get("act_type") in _ACTIVATIONS)


def composed(kind: str, name: str, inputs: Sequence[Entry], attrs: Attributes) -> Node:
    """Build an operator of MXNet 2 from nodes of 1.9; return the last node, named ``name``.

    Raises:
        HyError: Inputs or attributes do not match the operator.
    """
    compose = _COMPOSED[kind] if kind in _COMPOSED else _ACTIVATIONS[attrs["act_type"]]
    # Inner nodes are named after the operator, so parameters of two blocks do not collide.
    with Prefix(f"{name}_"):
        try:
            result = compose([NumpySymbol(Graph((entry,))) for entry in inputs], attrs)
        except (KeyError, ValueError, TypeError) as error:
            reason = f"{type(error).__name__}: {error}"[:120]
            raise ArgumentError(f"{kind}: {len(inputs)} inputs, {dict(attrs)}: {reason}") from None
    ((last, _),) = result.graph.outputs
    last.name = name
    return last


def _of_two(function: Callable[[Any, Any], Any]) -> Composition:
    def compose(inputs: Sequence[NumpySymbol], _: Attributes) -> NumpySymbol:
        first, second = inputs
        result: NumpySymbol = function(first, second)
        return result

    return compose


def _with_number(function: Callable[[Any, Any], Any], *, swapped: bool = False) -> Composition:
    def compose(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
        (operand,) = inputs
        text = attrs["scalar"]
        # MXNet 2 writes whole numbers as "2.0" with is_int.
        is_whole = attrs.get("is_int", "1").lower() in ("1", "true")
        number = int(float(text)) if is_whole else float(text)
        result: NumpySymbol = function(*((number, operand) if swapped else (operand, number)))
        return result

    return compose


def _integer(attrs: Attributes, key: str, default: int = 0) -> int:
    return int(attrs.get(key, default))


def _repeats(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
    (data,) = inputs
    counts = [int(part) for part in attrs["repeats"].strip("[]() ").split(",") if part.strip()]
    axis = None if attrs.get("axis", "None") == "None" else int(attrs["axis"])
    if len(counts) == 1:
        return call("_np_repeat", data, repeats=counts[0], axis=axis)
    flat = np.reshape(data, -1) if axis is None else data
    parts = [
        call("slice_axis", flat, axis=axis or 0, begin=i, end=i + 1)
        for i, count in enumerate(counts)
        for _ in range(count)
    ]
    return np.concatenate(parts, axis=axis or 0)


def _rollaxis(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
    (data,) = inputs
    axis, start = _integer(attrs, "axis"), _integer(attrs, "start")
    if axis < 0 or start < 0:
        raise ValueError("axes that count from the end")
    # rollaxis counts `start` before the axis is taken away, moveaxis after that.
    return np.moveaxis(data, axis, start - 1 if axis < start else start)


def _tri(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
    assert not inputs
    rows = _integer(attrs, "N")
    columns = rows if attrs.get("M", "None") == "None" else _integer(attrs, "M")
    options = {key: attrs[key] for key in ("ctx", "dtype") if key in attrs}
    ones: NumpySymbol = call_on(NumpySymbol, "_npi_ones", (), {"shape": (rows, columns), **options})
    return np.tril(ones, k=_integer(attrs, "k"))


def _cross(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
    first, second = inputs
    return np.cross(first, second, *(_integer(attrs, f"axis{x}", -1) for x in "abc"))


def _masked(function: Callable[..., NumpySymbol]) -> Composition:
    def compose(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
        data, mask = inputs
        temperature = attrs.get("temperature", "None")
        divisor = 1.0 if temperature == "None" else float(temperature)
        return function(data, mask, axis=_integer(attrs, "axis", -1), temperature=divisor)

    return compose


def _at(function: Callable[..., NumpySymbol]) -> Composition:
    def compose(inputs: Sequence[NumpySymbol], _: Attributes) -> NumpySymbol:
        data, indices, values = inputs
        return function(data, indices, values)

    return compose


def _group_norm(inputs: Sequence[NumpySymbol], attrs: Attributes) -> NumpySymbol:
    data, gamma, beta = inputs
    groups, eps = _integer(attrs, "num_groups", 1), float(attrs.get("eps", 1e-5))
    return npx.group_norm(data, gamma, beta, num_groups=groups, eps=eps)


def _mish(inputs: Sequence[NumpySymbol], _: Attributes) -> NumpySymbol:
    (data,) = inputs
    return data * np.tanh(call("Activation", data, act_type="softrelu"))


def _log_sigmoid(inputs: Sequence[NumpySymbol], _: Attributes) -> NumpySymbol:
    (data,) = inputs
    return -call("Activation", -data, act_type="softrelu")


def _binary_operator(name: str, function: Callable[[Any, Any], Any]) -> dict[str, Composition]:
    """Return the compositions of a binary operator: on two operands, and with a number."""
    return {
        f"_npi_{name}": _of_two(function),
        f"_npi_{name}_scalar": _with_number(function),
        f"_npi_r{name}_scalar": _with_number(function, swapped=True),
    }


_ACTIVATIONS: Mapping[str, Composition] = {"mish": _mish, "log_sigmoid": _log_sigmoid}
"""Compositions by ``act_type`` of Activation."""
_COMPOSED: Mapping[str, Composition] = {
    **_binary_operator("floor_divide", np.floor_divide),
    **_binary_operator("fmax", np.fmax),
    **_binary_operator("fmin", np.fmin),
    **_binary_operator("fmod", np.fmod),
    **_binary_operator("gcd", np.gcd),
    **_binary_operator("logaddexp", np.logaddexp),
    **_binary_operator("logical_and", np.logical_and),
    **_binary_operator("logical_or", np.logical_or),
    **_binary_operator("logical_xor", np.logical_xor),
    **_binary_operator("bitwise_left_shift", np.bitwise_left_shift),
    **_binary_operator("bitwise_right_shift", np.bitwise_right_shift),
    "GroupNorm": _group_norm,  # 1.9 has it as well, and scales groups
    "_npx_group_norm": _group_norm,
    "_npi_cross": _cross,
    "_npi_repeats": _repeats,
    "_npi_rollaxis": _rollaxis,
    "_npi_tri": _tri,
    "_npi_triu": lambda inputs, attrs: np.triu(inputs[0], _integer(attrs, "k")),
    "_npx_index_add": _at(npx.index_add),
    "_npx_index_update": _at(npx.index_update),
    "log_sigmoid": _log_sigmoid,
    "masked_log_softmax": _masked(npx.masked_log_softmax),
    "masked_softmax": _masked(npx.masked_softmax),
    "mish": _mish,
    "_npx_masked_log_softmax": _masked(npx.masked_log_softmax),
    "_npx_masked_softmax": _masked(npx.masked_softmax),
}
