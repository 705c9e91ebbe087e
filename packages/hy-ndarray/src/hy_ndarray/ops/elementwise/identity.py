"""Operators that return their input unchanged, but differ in gradient, device or storage."""

from typing import Any, Literal

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by, no_gradient, same_gradient
from hy_ndarray.ops.elementwise.broadcast import broadcast_add
from hy_ndarray.ops.record.ranges import Probability
from hy_ndarray.ops.record.rules import expect_axes, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import IDENTITY, Traits
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping.axes import swapaxes
from hy_ndarray.ops.shaping.creation import ones_like


@operator("_copy", "identity", grad=same_gradient, traits=IDENTITY)
def copy(data: TensorType) -> TensorType:
    """Return a copy of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@operator("BlockGrad", "_sparse_stop_gradient", "stop_gradient", grad=no_gradient, traits=IDENTITY)
def block_grad(data: TensorType) -> TensorType:
    """Return ``data`` unchanged and stop the gradient.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x = nd.array([3.0])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * nd.BlockGrad(x)
        >>> y.backward()
        >>> x.grad.asnumpy()
        array([3.], dtype=float32)
    """
    return data


@operator(
    "make_loss",
    "_sparse_make_loss",
    outputs=("loss",),
    grad=lambda saved, dy: (ones_like(saved.inputs[0]),),
    ignores_head_grad=True,
    traits=IDENTITY,
)
def make_loss(data: TensorType) -> TensorType:
    """Return ``data`` as a loss to minimise: the gradient of each element is 1.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


@operator("_copyto", "_npi_copyto", grad=same_gradient, traits=IDENTITY)
def copyto(data: TensorType) -> TensorType:
    """Copy ``data`` into the array given as ``out``, which may be on another device, and return it.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


Storage = Literal["default", "row_sparse", "csr"]


def _result_storage(params: Params) -> str:
    stype: str = params["stype"]
    return stype


@operator(
    "cast_storage",
    "_sparse_cast_storage",
    grad=same_gradient,
    traits=IDENTITY,
    stores=_result_storage,
)
def cast_storage(data: TensorType, *, stype: Storage) -> TensorType:
    """Return ``data`` in another storage format; within a graph of dense arrays, unchanged.

    Args:
        data: ``[*shape]``, any dtype; a matrix for csr.
        stype: ``"default"`` (dense), ``"row_sparse"``, which stores only the rows that are not
            all zero, or ``"csr"``, which stores only the elements of a matrix that are not zero.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.cast_storage(nd.array([[0, 0], [1, 0]]), stype="row_sparse").indices.asnumpy()
        array([1])
    """
    return data


@operator("_identity_with_attr_like_rhs", grad=same_gradient, traits=IDENTITY)
def identity_with_attr_like_rhs(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return ``lhs``; its shape must be that of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: ``[*shape]``; only its shape is used.
    """
    same_shape(lhs, rhs)
    return lhs


@operator("_contrib_gradientmultiplier", grad=gradient_by("_mul_scalar"), traits=IDENTITY)
def gradient_multiplier(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """Return ``data`` unchanged; its gradient is multiplied by ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The factor; a negative one reverses the gradient.
        is_int: Whether ``scalar`` is an integer.

    Source:
        Ganin, Lempitsky 2015, arXiv:1409.7495 (``scalar`` below 0).
    """
    return data


def _grad_sparse(saved: Saved, dy: Any) -> tuple[Any, None]:
    target, penalty = saved.params["sparseness_target"], saved.params["penalty"]
    average = saved.outputs[1]
    slope = (1 - target) / (1.0 - average) - target / average
    last = swapaxes(dy, dim1=1, dim2=-1)  # features, as the slopes, whatever the rank
    return swapaxes(broadcast_add(last, slope * penalty), dim1=1, dim2=-1), None


@operator(
    "IdentityAttachKLSparseReg",
    aux=("moving_avg",),
    outputs=("output", "average"),
    visible=1,
    updates=lambda params, is_train: ("moving_avg",) if is_train else (),
    needs=("is_train",),
    grad=_grad_sparse,
    traits=Traits(outputs_in_files=1),
)
def identity_attach_kl_sparse_reg(
    data: TensorType,
    moving_avg: TensorType,
    *,
    sparseness_target: Probability = 0.1,
    penalty: float = 0.001,
    momentum: Probability = 0.9,
) -> tuple[TensorType, TensorType]:
    """Return ``data``, with a sparsity penalty added to its gradient.

    The gradient of each feature is increased by ``penalty`` times the derivative of the
    Kullback-Leibler divergence between ``sparseness_target`` and the feature's moving average.
    The moving average is updated in training mode only.

    Args:
        data: ``[N, C, *space]``, activations between 0 and 1, as of ``sigmoid``.
        moving_avg: ``[C]``, updated in place to ``momentum * moving_avg + (1 - momentum) * mean``,
            where ``mean`` is taken over examples and positions.
        sparseness_target: The desired average activation.
        penalty: Factor of the divergence.
        momentum: Weight of the old moving average in the update.

    Raises:
        ShapeError: ``data`` has fewer than 2 axes, or ``moving_avg`` does not match.

    Source:
        Hinton 2010, "A practical guide to training restricted Boltzmann machines", section 11.
    """
    expect_axes(data, 2)
    same_dtype(data, moving_avg)
    moving_avg.set_shape((None if data.shape is None else data.shape[1],))
    return data, moving_avg
