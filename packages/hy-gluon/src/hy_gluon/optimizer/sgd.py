"""Gradient descent and its variants with momentum, signs, noise or delay."""

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

from hy_gluon.optimizer.optimizer import (
    Index,
    Optimizer,
    State,
    each,
    is_half,
    register,
    zeros,
)
from hy_gluon.optimizer.settings import Check, array, by_index, optional
from hy_ndarray import NDArray, nd

__all__ = ["DCASGD", "NAG", "SGD", "SGLD", "Signum", "Test", "ccSGD"]


class _Momentum(Optimizer):
    """An optimizer with one state, the velocity, if it has momentum at all."""

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """The velocity; None without momentum."""
        return zeros(weight) if self.momentum != 0.0 else None

    def create_state_multi_precision(self, index: Index, weight: NDArray) -> State:
        """As :meth:`create_state`; of a 16-bit weight the velocity and a float32 copy."""
        if self.multi_precision and is_half(weight):
            copy = weight.astype("float32")
            return self.create_state(index, copy), copy
        if is_half(weight):
            self._warn_of_half(weight)
        return self.create_state(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change one weight, or several, by one step."""
        for i, w, g, s in each(index, weight, grad, state):
            self._step(i, w, g, s)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """As :meth:`update`, on the float32 copy of a 16-bit weight where there is one."""
        first = weight[0] if isinstance(index, list | tuple) else weight
        if not (self.multi_precision and is_half(first)):
            self.update(index, weight, grad, state)
            return
        for i, w, g, (velocity, copy) in each(index, weight, grad, state):
            self._step(i, copy, g.astype("float32"), velocity)
            w[:] = copy

    def _step(self, index: Index, weight: NDArray, grad: NDArray, velocity: State) -> None:
        raise NotImplementedError


@register
class SGD(_Momentum):
    """Stochastic gradient descent, with momentum if it is not 0.

    ``v = momentum * v - lr * (grad + wd * weight)``, then ``weight += v``.

    Args:
        momentum: How much of the velocity is kept.
        lazy_update: Has no effect: it is for row-sparse gradients.
        kwargs: As for :class:`Optimizer`.
    """

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(momentum, **kwargs)
        self.lazy_update = lazy_update
        self.aggregate_num = 4

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change one weight, or several in one operator, by one step."""
        if not isinstance(index, list | tuple):
            self._step(index, weight, grad, state)
            return
        self._update_count(index)
        common: dict[str, Any] = {
            "lrs": self._get_lrs(index),
            "wds": self._get_wds(index),
            "num_weights": len(index),
            **self._common(),
        }
        if self.momentum == 0.0:
            nd.multi_sgd_update(*chain(*zip(weight, grad, strict=True)), out=weight, **common)
        else:
            arrays = chain(*zip(weight, grad, state, strict=True))
            nd.multi_sgd_mom_update(*arrays, out=weight, momentum=self.momentum, **common)

    def _step(self, index: Index, weight: NDArray, grad: NDArray, velocity: State) -> None:
        lr, wd, _ = self._begin(index)
        common = {"lr": lr, "wd": wd, **self._common()}
        if velocity is None:
            nd.sgd_update(weight, grad, out=weight, **common)
        else:
            nd.sgd_mom_update(weight, grad, velocity, out=weight, momentum=self.momentum, **common)


@register
class ccSGD(SGD):  # noqa: N801  # MXNet's name
    """Another name of :class:`SGD`."""


@register
class NAG(_Momentum):
    """Nesterov's accelerated gradient: the gradient counts as if after the velocity's next step.

    Args:
        momentum: How much of the velocity is kept.
        kwargs: As for :class:`Optimizer`.
    """

    def _step(self, index: Index, weight: NDArray, grad: NDArray, velocity: State) -> None:
        lr, wd, _ = self._begin(index)
        common = {"lr": lr, "wd": wd, **self._common()}
        if velocity is None:
            nd.sgd_update(weight, grad, out=weight, **common)
        else:
            nd.nag_mom_update(weight, grad, velocity, out=weight, momentum=self.momentum, **common)


@register
class Signum(Optimizer):
    """Steps of one size in the direction of the momentum's signs.

    Args:
        learning_rate: Size of the steps.
        momentum: How much of the velocity is kept; with 0 the gradient's signs count.
        wd_lh: Weight decay apart from the gradient (Loshchilov and Hutter's).
        kwargs: As for :class:`Optimizer`.

    Source:
        Bernstein et al. 2018, arXiv:1802.04434.
    """

    def __init__(
        self,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
        wd_lh: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """The velocity; None without momentum."""
        return zeros(weight) if self.momentum != 0.0 else None

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step."""
        lr, wd, _ = self._begin(index)
        common = {"lr": lr, "wd": wd, **self._common()}
        if state is None:
            nd.signsgd_update(weight, grad, out=weight, **common)
        else:
            common |= {"momentum": self.momentum, "wd_lh": self.wd_lh}
            nd.signum_update(weight, grad, state, out=weight, **common)


@register
class SGLD(Optimizer):
    """Stochastic gradient Langevin dynamics: half a step down, and noise of variance ``lr``.

    Args:
        kwargs: As for :class:`Optimizer`.

    Source:
        Welling, Teh 2011, "Bayesian learning via stochastic gradient Langevin dynamics", eq. 4.
    """

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:  # noqa: ARG002  # it has no state
        """Change ``weight`` by one step."""
        lr, wd, _ = self._begin(index)
        slope = self._rescaled(grad) + weight * wd
        noise = nd.random.normal(0.0, math.sqrt(lr), shape=weight.shape, ctx=weight.context)
        weight[:] = weight - slope * (lr / 2) + noise.astype(weight.dtype)


@register
class DCASGD(Optimizer):
    """Gradient descent that makes up for gradients computed on older weights.

    Args:
        momentum: How much of the velocity is kept.
        lamda: How strongly the delay is compensated.
        kwargs: As for :class:`Optimizer`.

    Source:
        Zheng et al. 2017, arXiv:1609.08326, eq. 10.
    """

    saved_checks: ClassVar[Mapping[str, Check]] = {"weight_previous": by_index(optional(array))}

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lamda = lamda
        self.weight_previous: dict[Index, NDArray] = {}

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """The velocity (None without momentum), and the weight before the last step."""
        return (zeros(weight) if self.momentum != 0.0 else None), weight.copy()

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step."""
        lr, wd, _ = self._begin(index)
        velocity, previous = state
        grad = self._rescaled(grad)
        delayed = grad * grad * (weight - previous) * self.lamda
        step = (grad + weight * wd + delayed) * -lr
        if velocity is not None:
            velocity[:] = velocity * self.momentum + step
            step = velocity
        previous[:] = weight
        weight[:] = weight + step


@register
class Test(Optimizer):
    """Adds the rescaled gradient to the weight, for tests of what calls optimizers."""

    __test__ = False  # pytest takes classes of this name for its own

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """A copy of the weight."""
        return zeros(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:  # noqa: ARG002  # nothing depends on it
        """Change ``weight`` by one step."""
        weight[:] = weight + grad * self.rescale_grad
        state[:] = weight
