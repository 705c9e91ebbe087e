"""Loss: base class of all losses, and functions shared by the subclasses."""

from numbers import Real
from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_ndarray import NDArray, ShapeError, is_np_array

__all__ = ["Loss", "apply_weighting", "product", "reshape_like"]


def apply_weighting(F: Any, loss: Any, weight: object = None, sample_weight: Any = None) -> Any:
    """Return ``loss`` times the examples' weights and ``weight``, if given.

    Args:
        F: Namespace of operators, ``nd`` or ``sym``.
        loss: Values to weight.
        weight: A number, or None.
        sample_weight: Factors that broadcast to ``loss``, or None.

    Raises:
        LayerError: ``weight`` is no number.

    Example:
        >>> apply_weighting(nd, nd.array([1, 2]), 10, nd.array([0, 1])).asnumpy()
        array([ 0., 20.], dtype=float32)
    """
    if sample_weight is not None:
        loss = product(F, loss, sample_weight)
    if weight is None:
        return loss
    if not isinstance(weight, Real):
        raise LayerError(f"the weight of a loss must be a number, not {weight!r}")
    return loss * weight


def product(F: Any, x: Any, y: Any) -> Any:
    """Return ``x * y``, broadcast; arrays of ``mx.np`` in their promoted dtype.

    Args:
        F: Namespace of operators, ``nd`` or ``sym``.
        x: A factor.
        y: Other factor, of the same dtype unless both are arrays of ``mx.np``.

    Example:
        >>> product(nd, nd.array([[1, 2]]), nd.array([[3], [4]])).asnumpy()
        array([[3., 6.],
               [4., 8.]], dtype=float32)
    """
    return x * y if is_np_array() else F.broadcast_mul(x, y)


def reshape_like(F: Any, x: Any, y: Any) -> Any:
    """Return ``x`` in the shape of ``y``.

    Args:
        F: Namespace of operators, ``nd`` or ``sym``.
        x: Array to reshape.
        y: Array with the same number of elements.

    Raises:
        ShapeError: The numbers of elements differ.

    Example:
        >>> reshape_like(nd, nd.array([1, 2]), nd.array([[3], [4]])).shape
        (2, 1)
    """
    try:
        return F.reshape_like(x, y)
    except ShapeError as error:
        if not isinstance(x, NDArray):
            raise
        raise ShapeError(
            f"a loss compares as many elements: labels {x.shape} have {x.size}, predictions "
            f"{y.shape} have {y.size}"
        ) from error


class Loss(HybridBlock):
    """Base class of all losses.

    Args:
        weight: Factor of the loss, or None.
        batch_axis: The axis of the examples; a loss has one value for each of them.
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the loss; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward or hybrid_forward")

    def _hy_mean(self, F: Any, loss: Any) -> Any:
        """Return the mean over all axes but the batch axis."""
        return F.mean(loss, axis=self._batch_axis, exclude=True)

    def _hy_sum(self, F: Any, loss: Any) -> Any:
        """Return the sum over all axes but the batch axis."""
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class _MarginLoss(Loss):
    """Base class of losses with a margin as their first argument."""

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin
