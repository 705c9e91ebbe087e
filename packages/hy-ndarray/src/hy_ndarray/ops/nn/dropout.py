"""Dropout."""

from typing import Any, Literal

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.elementwise.broadcast import broadcast_mul
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import Probability
from hy_ndarray.ops.record.rules import check_axis, floating
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType


def _grad(saved: Saved, dy: Any) -> tuple[Any]:
    if saved.params["p"] == 0 or not (saved.is_train or saved.params["mode"] == "always"):
        return (dy,)
    # The mask holds 0 and 1 / (1 - p).
    return (broadcast_mul(dy, saved.outputs[1]),)


def _draws(params: Params, is_train: bool) -> bool:
    return params["p"] > 0 and (is_train or params["mode"] == "always")


@operator(
    "Dropout",
    "_npx_dropout",
    outputs=("output", "mask"),
    visible=1,
    needs=("is_train", "rng"),
    grad=_grad,
    traits=Traits(pointwise=True, identity=True, draws=_draws),
)
def dropout(
    data: TensorType,
    *,
    p: Probability = 0.5,
    mode: Literal["always", "training"] = "training",
    axes: Shape = (),
    cudnn_off: bool | None = False,
) -> tuple[TensorType, TensorType]:
    """Return ``data`` with random elements set to zero, and the others scaled by ``1 / (1 - p)``.

    Args:
        data: ``[*shape]``, floating.
        p: Probability that an element is set to zero.
        mode: ``"training"``: only in training mode, else return ``data``; or ``"always"``.
        axes: Axes along which all elements share one random mask.
        cudnn_off: Accepted and ignored.

    Raises:
        ArgumentError: ``p`` is not between 0 and 1.
        ShapeError: ``data`` has no such axis.

    Source:
        Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, 2014.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x = nd.array([1, 2, 3, 4])
        >>> nd.Dropout(x, p=0.5).asnumpy()
        array([1., 2., 3., 4.], dtype=float32)
        >>> with autograd.train_mode():
        ...     set(nd.Dropout(x, p=0.5).asnumpy().tolist()) <= {0.0, 2.0, 4.0, 6.0, 8.0}
        True
    """
    floating(data)
    shared = {check_axis(axis, data) for axis in axes}
    if data.shape is None:
        return data, data.with_shape(None)
    return data, data.with_shape(1 if i in shared else n for i, n in enumerate(data.shape))
