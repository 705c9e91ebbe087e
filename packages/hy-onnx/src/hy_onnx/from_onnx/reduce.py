"""Import of reductions."""

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.registry import Reader, reader
from hy_onnx.from_onnx.value import Tensor
from hy_onnx.from_onnx.versions import reduced_axes

__all__: list[str] = []

_OPS = {
    "ReduceL1": ("abs", "_np_sum", None),
    "ReduceL2": ("square", "_np_sum", "sqrt"),
    "ReduceLogSum": (None, "_np_sum", "log"),
    "ReduceMax": (None, "_np_max", None),
    "ReduceMin": (None, "_np_min", None),
    "ReduceProd": (None, "_np_prod", None),
    "ReduceSum": (None, "_np_sum", None),
    "ReduceSumSquare": ("square", "_np_sum", None),
}
"""For each reduction the operators before it, of it and after it."""


def _reduced(call: Call, op: str, x: Tensor) -> Tensor:
    axes = reduced_axes(call)
    if axes == ():
        return x
    return call.op(op, x, axis=axes, keepdims=bool(call.attr("keepdims", 1)))


def _reduction(before: str | None, op: str, after: str | None) -> Reader:
    def read(call: Call) -> Tensor:
        x = call.x if before is None else call.op(before, call.x)
        y = _reduced(call, op, x)
        return y if after is None else call.op(after, y)

    return read


for _name, _steps in _OPS.items():
    reader(_name)(_reduction(*_steps))


@reader("ReduceMean")
def _mean(call: Call) -> Tensor:
    x = call.x if call.x.is_floating else call.cast(call.x, "float64")
    return call.cast(_reduced(call, "_npi_mean", x), call.x.dtype)


@reader("ReduceLogSumExp")
def _log_sum_exp(call: Call) -> Tensor:
    axes = reduced_axes(call)
    if axes == ():
        return call.x
    largest = call.op("_np_max", call.x, axis=axes, keepdims=True)
    # log(sum(exp(x))) less the largest: no overflow.
    powers = call.op("exp", call.op("_npi_subtract", call.x, largest))
    total = call.op("log", call.op("_np_sum", powers, axis=axes, keepdims=True))
    y = call.op("_npi_add", total, largest)
    if call.attr("keepdims", 1):
        return y
    if axes is None or len(axes) == call.x.rank:
        return call.op("_np_reshape", y, newshape=())
    return call.op("squeeze", y, axis=axes)


def _arg_reduction(op: str) -> Reader:
    def read(call: Call) -> Tensor:
        axis = call.axis(call.attr("axis", 0))
        options = {"axis": axis, "keepdims": bool(call.attr("keepdims", 1))}
        if not call.attr("select_last_index", 0):
            return call.op(op, call.x, **options)
        size = call.x.dims[axis]
        if not isinstance(size, int):
            raise call.refused(f"select_last_index=1 along an open size, {size}")
        # The last index is the first of the reversed, counted from the end.
        index = call.op(op, call.op("reverse", call.x, axis=(axis,)), **options)
        return call.op("_rminus_scalar", index, scalar=size - 1)

    return read


reader("ArgMax")(_arg_reduction("_npi_argmax"))
reader("ArgMin")(_arg_reduction("_npi_argmin"))
