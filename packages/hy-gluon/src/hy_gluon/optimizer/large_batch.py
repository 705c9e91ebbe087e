"""Optimizers for large batches: learning rates scaled by layer from norms."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from hy_gluon.optimizer.adam import TwoMeans
from hy_gluon.optimizer.checks import Check, array, by_index, count, number, optional
from hy_gluon.optimizer.optimizer import (
    Index,
    Optimizer,
    OptimizerError,
    State,
    register,
    zeros,
)
from hy_gluon.optimizer.sgd import SGD
from hy_ndarray import NDArray, nd

__all__ = ["LAMB", "LARS", "LBSGD"]


def _norm(array: NDArray) -> NDArray:
    """Return the L2 norm of an array, ``[1]``, in float32."""
    # In float32: squares of float16 overflow from 256 on.
    return nd.norm(array.astype("float32", copy=False))


@register
class LARS(SGD):
    """LARS: SGD with layer-wise adaptive rates (You et al., 2017).

    The rate is multiplied by ``eta * |w| / (|grad| + wd * |w| + eps)`` if neither norm is 0.
    Parameters whose name in ``param_idx2name`` ends in ``gamma``, ``beta`` or ``bias`` use the
    unscaled rate. A :class:`Trainer`, as in MXNet, passes no names, so it scales the rate of all
    parameters.

    Args:
        momentum: Decay rate of the velocity.
        lazy_update: Has no effect, since norms are of all rows.
        eta: Factor in the formula above.
        eps: Summand in the formula above.
        momentum_correction: Rescale the velocity when the learning rate changes.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(LARS(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 1., -2.], dtype=float32)

    Source:
        You, Gitman, Ginsburg 2017, arXiv:1708.03888, algorithm 1.
    """

    # You, Gitman and Ginsburg (2017).
    _DECAYING: ClassVar[tuple[str, ...]] = ("_weight",)
    _PLAIN: ClassVar[tuple[str, ...]] = ("gamma", "beta", "bias")

    rule_settings: ClassVar[tuple[str, ...]] = ("eta", "eps")
    saved_checks: ClassVar[Mapping[str, Check]] = {"_last_lrs": by_index(number)}

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum, lazy_update, **kwargs)
        self.momentum_correction = momentum_correction
        self.eta = eta
        self.eps = eps
        self._last_lrs: dict[Index, float] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "last_lr" in state and "_last_lrs" not in state:  # MXNet pickled it
            last = state["last_lr"]
            if not optional(number)(last):
                # MXNet keeps one last rate for all parameters; momentum correction needs one for
                # each.
                raise OptimizerError(f"LARS: last_lr is a number, not a {type(last).__name__}")
            lrs = {} if last is None else dict.fromkeys(state["_index_update_count"], last)
            state = {**state, "_last_lrs": lrs}
        super().__setstate__(state)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return learning rate, decay, momentum and the gradient's factor."""
        momentum = self._corrected_momentum(index, lr) if self.momentum != 0 else 0.0
        return {"lr": lr, "wd": wd, "momentum": momentum, "size": abs(self.rescale_grad)}

    def rule_variant(self, index: Index, wd: float) -> tuple[bool, bool]:
        """Return whether there is weight decay, and whether the rate is scaled."""
        name = self.idx2name.get(index, str(index))
        return wd != 0, not name.endswith(self._PLAIN)

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need them
        """Return False: the scale depends on all rows."""
        return False

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`LARS`."""
        decays, scaled = n.variant
        gradient = self._hy_rescaled(grad, n)
        # The ratio below takes |grad| and wd |w| apart, as in the paper: the decay is added for the
        # step alone.
        if decays:
            gradient = gradient + weight * n.wd
        step = gradient * n.lr
        if scaled:
            ratio = self._trust_ratio(weight, grad, n)
            if n.dtype != "float32":
                ratio = nd.Cast(ratio, dtype=n.dtype)
            step = nd.broadcast_mul(step, ratio)
        if state is None:
            return weight - step, None
        velocity = state * n.momentum - step
        return weight + velocity, velocity

    def _trust_ratio(self, weight: Any, grad: Any, n: Any) -> Any:
        """Return the factor of the layer's learning rate, ``[1]``, on the arrays' device."""
        wide = n.dtype != "float32"
        weight, grad = (nd.Cast(x, dtype="float32") if wide else x for x in (weight, grad))
        of_weight, of_grad = nd.norm(weight), nd.norm(grad) * n.size
        # 1 where both norms are positive, so that the layer's factor needs no branch on the device.
        usable = (of_weight > 0) * (of_grad > 0)
        length = of_grad + of_weight * n.wd + n.eps + (1 - usable)
        return usable * of_weight * n.eta / length + (1 - usable)

    # Goyal et al. (2017), section 3: the velocity holds the old rate, so it is rescaled when the
    # rate changes.
    def _corrected_momentum(self, index: Index, lr: float) -> float:
        last = self._last_lrs.get(index, lr)
        self._last_lrs[index] = lr
        return self.momentum * lr / last if self.momentum_correction and last else self.momentum


@register
class LAMB(TwoMeans):
    """LAMB: Adam with layer-wise adaptive rates (You et al., 2019).

    Args:
        learning_rate: The rate.
        beta1: Decay rate of the mean gradient.
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        lower_bound: Lower bound of the weight's norm; None, 0 or less for none.
        upper_bound: Upper bound of the weight's norm; None, 0 or less for none.
        bias_correction: Correct the bias of both means, which begin at 0.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(LAMB(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.842, -2.158], dtype=float32)

    Source:
        You et al. 2020, arXiv:1904.00962, algorithm 2.
    """

    rule_settings: ClassVar[tuple[str, ...]] = (
        "beta1",
        "beta2",
        "epsilon",
        "lower_bound",
        "upper_bound",
    )

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction
        # MXNet updates up to 45 weights by one call of its multi-tensor operator.
        self.aggregate_num = 45

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return learning rate, decay, and the number of the step."""
        return {"lr": lr, "wd": wd, "t": t}

    def rule_variant(self, index: Index, wd: float) -> bool:  # noqa: ARG002  # others need them
        """Return whether the means are bias-corrected."""
        return bool(self.bias_correction)

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`LAMB`."""
        common: dict[str, Any] = {"learning_rates": (n.lr,), "wds": (n.wd,), "step_count": (n.t,)}
        common |= {"num_tensors": 1, "bias_correction": n.variant}
        common |= self._hy_common(n, "beta1", "beta2", "epsilon", "lower_bound", "upper_bound")
        return nd._internal._multi_lamb_update(weight, grad, *state, **common), state


def _is_sum(value: Any) -> bool:
    """Return whether a value is a sum of gradients: an array, None, or 0 as in MXNet."""
    # MXNet's sum is the number 0 right after a step, where hy's is None.
    return optional(array)(value) or (count(value) and value == 0)


@register
class LBSGD(Optimizer):
    """LBSGD: SGD on gradients summed over several batches, with a learning-rate warm-up.

    One step is taken per ``batch_scale`` calls, with the mean gradient and the learning rate times
    a factor, which increases from 1 to ``batch_scale`` during the warm-up.

    Args:
        momentum: Decay rate of the velocity.
        multi_precision: See :class:`Optimizer`.
        warmup_strategy: Increase of the factor: ``"linear"``, ``"power2"`` (quadratic) or
            ``"sqrt"``; with any other name, the factor is 1 during the warm-up; with ``"lars"``, it
            is always computed from the norms of weight and gradient.
        warmup_epochs: Number of epochs of the warm-up.
        batch_scale: Number of batches per step.
        updates_per_epoch: Number of batches in an epoch.
        begin_epoch: Number of the first epoch.
        num_epochs: Has no effect.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(LBSGD(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.95, -2.01], dtype=float32)
    """

    saved_checks: ClassVar[Mapping[str, Check]] = {
        "batch_scale": lambda value: count(value) and value > 0,
        "init_updates": count,
        "cumgrads": by_index(
            lambda value: (
                isinstance(value, dict)
                and _is_sum(value.get("cum_grad", False))
                and count(value.get("num_cums"))
            )
        ),
    }

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(multi_precision=multi_precision, **kwargs)
        self.momentum = momentum
        self.warmup_strategy = warmup_strategy
        self.warmup_epochs = warmup_epochs
        self.batch_scale = batch_scale
        self.updates_per_epoch = updates_per_epoch
        self.init_updates = begin_epoch * updates_per_epoch
        self.num_epochs = num_epochs
        self.cumgrads: dict[Index, dict[str, Any]] = {}

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the velocity; None without momentum."""
        return zeros(weight) if self.momentum != 0.0 else None

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Add ``grad`` to the sum; update ``weight`` if the sum has ``batch_scale`` gradients."""
        lr, wd, _ = self._hy_begin(index)
        total, count = grad, self.init_updates
        if index in self.cumgrads:
            count = self.cumgrads[index]["num_cums"]
            if self.cumgrads[index]["cum_grad"] is not None:
                total = self.cumgrads[index]["cum_grad"] + grad
        count += 1
        # The sum goes on until a whole batch has come; only then a step is done.
        whole = count % self.batch_scale == 0
        rest = None if whole else total.copy()
        self.cumgrads[index] = {"cum_grad": rest, "num_cums": count}
        if not whole:
            return
        mean = total / self.batch_scale if self.batch_scale > 1 else total
        common: dict[str, Any] = {
            "lr": lr * self._rate_factor(count, weight, mean, wd),
            "wd": wd,
            **self._hy_common(self._hy_shared()),
        }
        if state is None:
            nd.sgd_update(weight, mean, out=weight, **common)
        else:
            nd.sgd_mom_update(weight, mean, state, out=weight, momentum=self.momentum, **common)

    def _rate_factor(self, count: int, weight: NDArray, grad: NDArray, wd: float) -> float:
        """Return the factor of the learning rate, by the warm-up strategy."""
        if self.warmup_strategy == "lars":
            # MXNet squares the norms, and bounds the ratio to [0.01, 100].
            of_weight = float(_norm(weight).asscalar()) ** 2
            of_grad = float(_norm(grad).asscalar()) ** 2
            ratio = math.sqrt(of_weight / (of_grad + wd * of_weight + 1e-18))
            return min(max(ratio, 0.01), 100.0)
        length = self.warmup_epochs * self.updates_per_epoch
        if count >= length:
            return float(self.batch_scale)
        progress = count / length
        curves = {"linear": progress, "power2": progress**2, "sqrt": math.sqrt(progress)}
        return 1.0 + (self.batch_scale - 1) * curves.get(self.warmup_strategy, 0.0)
