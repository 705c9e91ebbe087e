"""Export of reductions."""

from collections.abc import Sequence
from math import inf, prod

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import Converter, converter

__all__ = ["axes_of"]


def axes_of(call: Call) -> list[int]:
    """Return the non-negative axes that the node reduces."""
    axis, rank = call.params["axis"], call.rank()
    axes = (axis,) if isinstance(axis, int) else axis
    is_np = call.op_name.startswith("_np")
    # An empty tuple means all axes in MXNet's legacy operators, and none in NumPy's.
    if axes is None or not rank or (not axes and not is_np):
        return list(range(rank))
    reduced = {i % rank for i in axes}
    if call.params.get("exclude"):
        return [i for i in range(rank) if i not in reduced]
    return sorted(reduced)


def _reduced(call: Call, op: str, x: str) -> str:
    """Return ``x`` reduced by ``op`` over the node's axes, in the shape of its output."""
    axes = axes_of(call)
    keepdims = bool(call.params.get("keepdims"))
    y = call.reduce(op, x, axes, keepdims=keepdims)
    if not keepdims and len(axes) == call.rank() and call.out_dims() == (1,):
        y = call.op("Reshape", y, call.ints(1))  # legacy reductions leave one axis
    return y


def _reduction(op: str) -> Converter:
    def convert(call: Call) -> str:
        dtype, out = call.dtype(), call.out_dtype()
        wide = _REDUCTION_DTYPES.get(dtype, dtype)
        y = _reduced(call, op, call.cast_from(call.x, dtype, wide))
        initial = call.params.get("initial")
        if initial is not None:
            y = call.op(_JOIN[op], y, call.constant(initial, wide))
        return call.cast_from(y, wide, out)

    return convert


# ONNX Runtime reduces no values of these dtypes, so they are cast first.
_REDUCTION_DTYPES = {"bool": "int64", "int8": "int32", "uint8": "int32"}
_JOIN = {"ReduceSum": "Add", "ReduceProd": "Mul", "ReduceMax": "Max", "ReduceMin": "Min"}


for _names, _op in (
    (("sum", "_np_sum"), "ReduceSum"),
    (("prod", "_np_prod"), "ReduceProd"),
    (("max", "_np_max"), "ReduceMax"),
    (("min", "_np_min"), "ReduceMin"),
):
    converter(*_names)(_reduction(_op))


@converter("mean")
def _mean(call: Call) -> str:
    if call.is_floating():
        return _reduced(call, "ReduceMean", call.x)
    # In float64, whose sums of integers are exact up to 2**53.
    y = _reduced(call, "ReduceMean", call.cast(call.x, "float64"))
    return call.cast(y, call.dtype())


@converter("_npi_mean")
def _np_mean(call: Call) -> str:
    if call.params["initial"] is not None:
        raise call.refused("initial: ONNX's mean has none; add it to the sum before dividing")
    out = call.out_dtype()
    floating = out if out in ("float16", "float32", "float64", "bfloat16") else "float64"
    y = _reduced(call, "ReduceMean", call.cast_from(call.x, call.dtype(), floating))
    return call.cast_from(y, floating, out)


@converter("norm")
def _norm(call: Call) -> str:
    dtype = call.dtype()
    x = call.x if call.is_floating() else call.cast(call.x, "float32")
    y = _reduced(call, "ReduceL2" if call.params["ord"] == 2 else "ReduceL1", x)  # noqa: PLR2004
    return call.cast_from(y, dtype if call.is_floating() else "float32", call.out_dtype())


_FLAT, _GENERAL, _FROBENIUS = -2, -1, 1
"""Values of the parameter ``flag``, the kind of norm."""


@converter("_npi_norm")
def _np_norm(call: Call) -> str:
    order, flag = call.params["ord"], call.params["flag"]
    axes = axes_of(call)
    if flag in (_FLAT, _FROBENIUS) or (flag == _GENERAL and len(axes) == 1 and order == 2):  # noqa: PLR2004
        return _reduced(call, "ReduceL2", call.x)
    if flag != _GENERAL or (len(axes) == 2 and abs(order) == 2):  # noqa: PLR2004
        raise call.refused("norms by singular values, which ONNX does not compute")
    return _norm_of_matrices(call, axes) if len(axes) == 2 else _norm_of_vectors(call)  # noqa: PLR2004


def _norm_of_vectors(call: Call) -> str:
    order, size = call.params["ord"], call.op("Abs", call.x)
    if abs(order) == inf:
        return _reduced(call, "ReduceMax" if order > 0 else "ReduceMin", size)
    if order == 0:
        return _reduced(call, "ReduceSum", call.cast(call.cast(call.x, "bool"), call.dtype()))
    powers = call.op("Pow", size, call.like(order))
    return call.op("Pow", _reduced(call, "ReduceSum", powers), call.like(1 / order))


def _norm_of_matrices(call: Call, axes: Sequence[int]) -> str:
    """Return the matrix norm of order ±1 or ±inf: max or min of absolute column or row sums."""
    order = call.params["ord"]
    matrix_axes = [i % call.rank() for i in call.params["axis"] or axes]
    summed = matrix_axes[0] if abs(order) == 1 else matrix_axes[1]
    sums = call.reduce("ReduceSum", call.op("Abs", call.x), [summed], keepdims=True)
    return _reduced(call, "ReduceMax" if order > 0 else "ReduceMin", sums)


@converter("_npi_average")
def _average(call: Call) -> list[str]:
    axes, rank = axes_of(call), call.rank()
    if not call.has(1):
        y = _reduced(call, "ReduceMean", call.x)
        if not call.params["returned"]:
            return [y]
        return [y, call.expand(call.like(prod(call.shape_of(0, axes))), call.out_dims())]
    weights, own = call.name(1), axes
    if call.rank(1) < rank:  # one for each index along the axis
        weights, own = call.unsqueeze(weights, *range(1, rank - axes[0])), [0]
    total = _reduced(call, "ReduceSum", call.op("Mul", call.x, weights))
    sums = call.reduce("ReduceSum", call.name(1), own, keepdims=False)
    return [call.op("Div", total, sums), sums]


def _variance(call: Call, x: str, axes: Sequence[int], dtype: str, ddof: int) -> str:
    """Return the variance over axes, which are kept with size 1."""
    centred = call.op("Sub", x, call.reduce("ReduceMean", x, axes, keepdims=True))
    y = call.reduce("ReduceMean", call.op("Mul", centred, centred), axes, keepdims=True)
    if not ddof:
        return y
    count = prod(call.shape_of(0, axes))
    # With no degree of freedom left, a division by almost 0 gives inf or nan as in NumPy.
    return call.op("Mul", y, call.constant(count / max(count - ddof, 1e-300), dtype))


def _variance_output(call: Call) -> tuple[str, str]:
    """Return the variance in the shape of the node's output, and its dtype."""
    out = call.out_dtype()
    dtype = out if out in ("float16", "float32", "float64", "bfloat16") else "float64"
    x = call.cast_from(call.x, call.dtype(), dtype)
    axes = axes_of(call)
    y = _variance(call, x, axes, dtype, call.params["ddof"]) if axes else call.op("Sub", x, x)
    if axes and not call.params["keepdims"]:
        y = call.squeeze(y, *axes)
    return y, dtype


@converter("_npi_var")
def _var(call: Call) -> str:
    y, dtype = _variance_output(call)
    return call.cast_from(y, dtype, call.out_dtype())


@converter("_npi_std")
def _std(call: Call) -> str:
    y, dtype = _variance_output(call)
    return call.cast_from(call.op("Sqrt", y), dtype, call.out_dtype())


@converter("moments")
def _moments(call: Call) -> list[str]:
    rank = call.rank()
    param_axes = call.params["axes"]
    axes = sorted(i % rank for i in param_axes) if param_axes else list(range(rank))
    mean = call.reduce("ReduceMean", call.x, axes, keepdims=True)
    variance = _variance(call, call.x, axes, call.dtype(), 0)
    return [call.reshape(mean, call.out_dims(0)), call.reshape(variance, call.out_dims(1))]


def _arg_reduction(op: str) -> Converter:
    def convert(call: Call) -> str:
        axis, x = call.params.get("axis"), call.x
        keepdims = int(bool(call.params.get("keepdims")))
        # Dtypes for which ONNX's runtimes have no ArgMax.
        if call.dtype() in ("bool", "int8", "uint8", "int64"):
            x = call.cast(x, "int32" if call.dtype() != "int64" else "float64")
        if axis is None or not call.rank():
            x, axis = call.op("Reshape", x, call.ints(-1)), 0
            y = call.op(op, x, axis=0, keepdims=1)
            y = call.op("Reshape", y, call.ints(*call.out_shape()))
        else:
            y = call.op(op, x, axis=axis, keepdims=keepdims)
            if call.rank() == 1 and call.out_dims() == (1,) and not keepdims:
                y = call.op("Reshape", y, call.ints(1))
        return call.to_output(y, "int64")

    return convert


converter("argmax", "_npi_argmax")(_arg_reduction("ArgMax"))
converter("argmin", "_npi_argmin")(_arg_reduction("ArgMin"))


@converter("_np_cumsum")
def _cumsum(call: Call) -> str:
    out, axis, x = call.out_dtype(), call.params["axis"], call.x
    if axis is None:
        x, axis = call.op("Reshape", x, call.ints(-1)), 0
    dtype = {"bool": "int64", "int8": "int32", "uint8": "int32", "float16": "float32"}.get(out, out)
    x = call.cast_from(x, call.dtype(), dtype)
    y = call.op("CumSum", x, call.scalar_int(axis))
    return call.cast_from(y, dtype, out)
