"""LossScaler: a factor that keeps small 16-bit gradients from underflowing."""

from collections.abc import Callable, Iterable, Sequence

from hy_gluon.parameter import Parameter
from hy_ndarray import Context, NDArray, autograd, nd

__all__ = ["LossScaler", "all_finite"]


class LossScaler:
    """Dynamic loss scale, as large as possible without overflow of gradients.

    The factor is divided by ``scale_factor`` if a gradient overflows, and multiplied by it after
    ``scale_window`` steps without overflow.

    Args:
        loss_scale: Initial factor.
        max_loss_scale: Largest factor.
        scale_factor: Ratio of an increase or decrease.
        scale_window: Number of steps without overflow before an increase.

    Example:
        >>> scaler = LossScaler()
        >>> scaler.overflows([nd.array([1.0, float("inf")])])
        True
        >>> scaler.loss_scale
        32768.0
    """

    def __init__(
        self,
        loss_scale: float = 2.0**16,
        *,
        max_loss_scale: float = 2.0**24,
        scale_factor: float = 2.0,
        scale_window: int = 2000,
    ) -> None:
        self._loss_scale = float(loss_scale)
        self._max_loss_scale = float(max_loss_scale)
        self._scale_factor = float(scale_factor)
        self._scale_window = scale_window
        self._unskipped = 0

    @property
    def loss_scale(self) -> float:
        """Factor for the next loss."""
        return self._loss_scale

    def has_overflow(self, params: Iterable[Parameter]) -> bool:
        """Return whether a gradient of the parameters overflowed, and adjust the factor.

        Args:
            params: Parameters after the backward pass; ``grad_req="null"`` ones are skipped.
        """
        learned = [parameter for parameter in params if parameter.grad_req != "null"]
        return self.overflows([grad for parameter in learned for grad in parameter.list_grad()])

    def overflows(
        self,
        gradients: Sequence[NDArray],
        finite: Callable[[Sequence[NDArray]], bool] | None = None,
    ) -> bool:
        """Return whether any gradient is infinite or nan, and adjust the factor.

        Args:
            gradients: Arrays of any shape, on any devices.
            finite: Function that returns whether all gradients are finite, such as one that asks
                all workers; :func:`all_finite` if None.
        """
        if (finite or all_finite)(gradients):
            self._unskipped += 1
            # The scale is to be as large as it can be, so that small gradients stay above 6e-8,
            # float16's smallest; an overflow costs one step. (Micikevicius et al. 2018, section
            # 3.2.)
            if self._unskipped == self._scale_window:
                self._unskipped = 0
                self._loss_scale = min(self._loss_scale * self._scale_factor, self._max_loss_scale)
            return False
        self._unskipped = 0
        self._loss_scale /= self._scale_factor
        return True


def all_finite(arrays: Sequence[NDArray]) -> bool:
    """Return whether all elements of arrays are finite.

    Args:
        arrays: Arrays of any shape, on any devices.
    """
    return all(map(_finite, _by_context(arrays)))


def _by_context(arrays: Sequence[NDArray]) -> Iterable[list[NDArray]]:
    by_context: dict[Context, list[NDArray]] = {}
    for array in arrays:
        by_context.setdefault(array.context, []).append(array)
    return by_context.values()


def _finite(arrays: list[NDArray]) -> bool:
    with autograd.pause():
        return bool(nd.multi_all_finite(*arrays, num_arrays=len(arrays)).asscalar())
