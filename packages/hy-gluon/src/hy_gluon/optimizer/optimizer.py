"""Optimizer: base class of all optimizers, and their registry."""

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Never, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from hy_gluon.optimizer.checks import Check
from hy_gluon.optimizer.eager_step import apply, check_arrays
from hy_gluon.optimizer.rates import Index, OptimizerError, ParameterRates
from hy_gluon.optimizer.registry import Registry
from hy_gluon.optimizer.rule import numbers_by_name
from hy_gluon.optimizer.step import Step
from hy_gluon.optimizer.work import BOUNDS, Settings
from hy_ndarray import NDArray, autograd, nd
from hy_ndarray.suggestion import accepted_arguments, hint, unknown_argument
from hy_ndarray.warning import warn

if TYPE_CHECKING:
    from hy_gluon.lr_scheduler import LRScheduler

__all__ = [
    "Index",
    "Optimizer",
    "OptimizerError",
    "State",
    "create",
    "each",
    "is_half",
    "register",
    "zeros",
]

State: TypeAlias = Any
"""Optimizer state of a weight: None, an array, or nested tuples of these."""

_Class = TypeVar("_Class", bound="type[Optimizer]")
_HALVES = ("float16", "bfloat16")
_registry: Registry[type["Optimizer"]] = Registry()


def is_half(array: NDArray) -> bool:
    """Return whether the dtype of ``array`` is a 16-bit float, too imprecise for updates."""
    return np.dtype(array.dtype).name in _HALVES


def each(
    index: Any, weight: Any, grad: Any, state: Any
) -> Iterator[tuple[Index, NDArray, NDArray, State]]:
    """Yield (index, weight, grad, state) of each parameter; the arguments may be lists."""
    if isinstance(index, list | tuple):
        yield from zip(index, weight, grad, state, strict=True)
    else:
        yield index, weight, grad, state


class Optimizer(ParameterRates):
    """Base class of all optimizers: an update rule, and settings for each parameter.

    Subclasses define :meth:`create_state`, and :meth:`rule` or :meth:`update`. A rule is compiled
    to a program that updates all weights of a trainer; an overridden :meth:`update` is not.

    Args:
        rescale_grad: Factor of all gradients; the trainer sets it to 1 / batch size.
        param_idx2name: Names of the parameters by index. Those that do not end in ``_weight`` or
            ``_gamma`` get no weight decay.
        wd: Weight decay: factor of the weights that is added to their gradients.
        clip_gradient: Bound of each element of the rescaled gradient; None, 0 or less for none.
        learning_rate: The rate; 0.01 if None and there is no schedule.
        lr_scheduler: Function from the number of updates to the rate; begins at ``learning_rate``
            if both are given.
        sym: Symbol whose variables have ``__lr_mult__`` and ``__wd_mult__``.
        begin_num_update: Initial count of updates.
        multi_precision: Whether to keep float32 copies of 16-bit weights, and to update these.
        param_dict: Parameters by index, whose ``lr_mult`` and ``wd_mult`` take precedence.

    Example:
        >>> from hy_gluon.optimizer import SGD
        >>> sgd = SGD(learning_rate=0.5)
        >>> weight = nd.array([1.0, 2.0])
        >>> sgd.update(0, weight, nd.array([1.0, -1.0]), sgd.create_state(0, weight))
        >>> weight.asnumpy()
        array([0.5, 2.5], dtype=float32)
    """

    opt_registry = _registry
    saved_checks: ClassVar[Mapping[str, Check]] = {}
    """Checks of a subclass's settings read from files, by name, in addition to types."""

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[Index, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: "LRScheduler | None" = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[Index, Any] | None = None,
        **unknown: Never,
    ) -> None:
        for name in unknown:
            cls = type(self)
            raise unknown_argument(cls.__name__, name, accepted_arguments(cls))
        self.rescale_grad = rescale_grad
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.aggregate_num = 0
        super().__init__(
            param_idx2name, wd, learning_rate, lr_scheduler, sym, begin_num_update, param_dict
        )

    # --- registry ---------------------------------------------------------------------------

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Register an optimizer for :func:`create`, under its class name in lower case."""
        name = klass.__name__.lower()
        before = _registry.find(name)
        if before is not None and before is not klass:
            warn(f"optimizer {name!r} is now {klass}, not {before}")
        _registry.add(name, klass)
        return klass

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> "Optimizer":
        """Return an optimizer by its registered name, in any case.

        Raises:
            OptimizerError: No optimizer of that name is registered.
        """
        klass = _registry.find(name.lower())
        if klass is None:
            known = sorted(x for x in Optimizer.opt_registry if x[0] != "_")
            raise OptimizerError(
                f"Cannot find optimizer {name}; known: {', '.join(known)}{hint(name, known)}"
            )
        return klass(**kwargs)

    # --- what subclasses define -------------------------------------------------------------

    rule_settings: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes, numbers or None, that are passed to :meth:`rule`."""

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return the initial state of ``weight``; None by default.

        Args:
            index: Number or name of the parameter.
            weight: The weight.
        """

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return the new weight and state after a step, computed with operators.

        Called with arrays or, for tracing, with symbols. So the code may depend on which settings
        are None and on the structure of the state, but not on values or other attributes.

        Args:
            weight: The weight.
            grad: Gradient, neither rescaled nor clipped.
            state: Result of :meth:`create_state`; the returned state has the same structure. Arrays
                that an operator updates in place are returned unchanged.
            n: Attributes ``rescale_grad``, ``clip_gradient`` (None for no bound),
                ``least_gradient`` (minus the bound), the ``rule_settings``, and the numbers of
                :meth:`rule_numbers`; ``variant``, the result of :meth:`rule_variant`; ``dtype``,
                the name of the weight's dtype.

        Returns:
            Weight and state.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update")

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # for subclasses
        """Return the numbers of a step for :meth:`rule`, by default learning rate and weight decay.

        Args:
            index: Number or name of the parameter.
            lr: Learning rate of the parameter.
            wd: Weight decay of the parameter.
            t: Number of the parameter's steps, including this one.
        """
        return {"lr": lr, "wd": wd}

    def rule_variant(self, index: Index, wd: float) -> Hashable:  # noqa: ARG002  # for subclasses
        """Return a key on which :meth:`rule` may depend; there is one graph per key."""
        return ()

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # for subclasses
        """Return whether a row_sparse gradient updates only its stored rows of weight and states.

        If True, :meth:`rule` is called with these rows of weight, gradient and states.

        Args:
            weight: The weight.
            n: See :meth:`rule`.
        """
        return False

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Update ``weight`` and ``state`` in place by one step, by default with :meth:`rule`.

        If :attr:`aggregate_num` is above 0, all arguments are sequences.

        Args:
            index: Number or name of the parameter.
            weight: The weight.
            grad: Gradient of the weight.
            state: State that :meth:`create_state` returned.

        Raises:
            ArgumentError: A weight or gradient is not an NDArray.
        """
        if not isinstance(index, list | tuple):
            index, weight, grad, state = [index], [weight], [grad], [state]
        # Recording: the steps must be on the tape (meta-learning), so the rule runs operator by
        # operator.
        if not autograd.is_recording():
            step = _steps.get(self)
            if step is None:
                # Without float32 copies: `update` gets the very arrays that are to change.
                step = _steps[self] = Step(copies=False)
            step(self, index, (weight, grad, state))
            return
        check_arrays(weight, grad)
        numbers, variants = self._hy_rule_numbers(index)
        shared = Settings(self).numbers
        for k, (w, g, s) in enumerate(zip(weight, grad, state, strict=True)):
            own = {name: column[k] for name, column in numbers.items()}
            apply(self, w, g, s, {**shared, **own}, variants[k])  # says what is in a graph

    # A user's subclass that defines update, even on an instance, means it.
    def _hy_uses_rule(self) -> bool:
        """Return whether updates use :meth:`rule`, because ``update`` is not overridden."""
        kind, own = type(self), vars(self)
        return (
            kind.rule is not Optimizer.rule
            and kind.update is Optimizer.update
            and kind.update_multi_precision is Optimizer.update_multi_precision
            and "update" not in own
            and "update_multi_precision" not in own
        )

    def _hy_rule_numbers(
        self, index: Sequence[Index]
    ) -> tuple[dict[str, list[float]], list[Hashable]]:
        """Count a step of each parameter; return the rule's numbers by name, and its variants."""
        kind = type(self)
        own = kind._get_lr is not Optimizer._get_lr or kind._get_lrs is not Optimizer._get_lrs
        # A schedule is asked at the largest count so far: MXNet counts and asks in groups of
        # aggregate_num, so a rate may change between two weights of one step.
        if not own and (self.lr_scheduler is None or len(index) == 1):
            self._update_count(index)
            rates = self._get_lrs(index)
        else:  # the rate follows the largest count, which the first one may reach
            rates, size = [], max(self.aggregate_num, 1)
            for k in range(0, len(index), size):
                some = index[k : k + size]
                self._update_count(some)
                # A program's own methods are asked as MXNet asks: about several or about one.
                rates += self._get_lrs(some) if self.aggregate_num else [self._get_lr(some[0])]
        decays = self._get_wds(index)
        numbers = {"lr": rates, "wd": decays}
        if kind.rule_numbers is not Optimizer.rule_numbers:
            counts = [self._index_update_count[i] for i in index]
            numbers = numbers_by_name(self.rule_numbers, index, rates, decays, counts)
        if kind.rule_variant is Optimizer.rule_variant:
            return numbers, [()] * len(index)
        return numbers, list(map(self.rule_variant, index, decays))

    def _hy_pass(self, index: Index, weight: NDArray) -> None:  # noqa: ARG002  # for subclasses
        """Follow a step of ``weight`` that another worker takes, as if it were taken here."""
        # Schedules follow the largest count of all parameters.
        self._update_count(index)

    # --- mixed precision --------------------------------------------------------------------

    def create_state_multi_precision(self, index: Index, weight: NDArray) -> State:
        """Return the initial state, preceded by a float32 copy of a 16-bit weight if enabled."""
        # MXNet's layout of states: the copy first, then the optimizer's own.
        if is_half(weight):
            if self.multi_precision:
                copy = weight.astype("float32")
                return copy, self.create_state(index, copy)
            self._hy_warn_of_half(weight)
        return self.create_state(index, weight)

    def _hy_copy_of(self, weight: NDArray, state: State) -> tuple[NDArray | None, State]:
        """Split a state into the weight's float32 copy, or None, and the optimizer's own state."""
        if self.multi_precision and is_half(weight):
            copy, states = state
            return copy, states
        return None, state

    def _hy_warn_of_half(self, weight: NDArray) -> None:
        warn(
            f"{type(self).__name__} updates {np.dtype(weight.dtype).name} weights in their own "
            "precision, which loses small steps; multi_precision=True keeps float32 copies"
        )

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Update like :meth:`update`, but on the float32 copies of 16-bit weights."""
        kind = type(self)
        # What takes the place of a rule is handed one weight at a time.
        redefined = kind.update is not Optimizer.update or "update" in vars(self)
        one = kind.rule is not Optimizer.rule and redefined
        several = isinstance(index, list | tuple) and not one
        if not self.multi_precision and not one:
            self.update(index, weight, grad, state)
            return
        for i, w, g, s in each(index, weight, grad, state):
            copy, states = self._hy_copy_of(w, s)
            # The step is computed in float32 and rounded once, into the weight.
            target, step = (w, g) if copy is None else (copy, self._hy_wide_gradient(g))
            if several:
                self.update((i,), (target,), (step,), [states])
            else:
                self.update(i, target, step, states)
            if copy is not None:
                w[:] = copy

    # --- gradients --------------------------------------------------------------------------

    def _hy_wide_gradient(self, grad: Any) -> Any:
        """Return the gradient of a 16-bit weight in float32, for the step of the weight's copy."""
        return grad.astype("float32")

    def _hy_shared(self) -> SimpleNamespace:
        """Return the settings that all weights share, with None for a bound without effect."""
        return SimpleNamespace(**Settings(self).numbers)

    @staticmethod
    def _hy_common(n: Any, *names: str) -> dict[str, Any]:
        """Return arguments of an operator by name, beside those that all take."""
        values = {name: getattr(n, name) for name in ("rescale_grad", "clip_gradient", *names)}
        # Of other arguments than bounds, None is refused, as in MXNet.
        return {k: x for k, x in values.items() if x is not None or k not in BOUNDS}

    @staticmethod
    def _hy_clipped(grad: Any, n: Any) -> Any:
        """Return the gradient clipped to ``clip_gradient``, if that is set."""
        if n.clip_gradient is None:
            return grad
        return nd.clip(grad, n.least_gradient, n.clip_gradient)

    def _hy_rescaled(self, grad: Any, n: Any) -> Any:
        """Return the gradient rescaled and clipped."""
        return self._hy_clipped(grad * n.rescale_grad, n)

    # --- copies -----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the parameters, which are saved elsewhere."""
        # Parameters are saved in their own file; a pickle of the optimizer must not hold the
        # weights.
        return {key: value for key, value in self.__dict__.items() if key != "param_dict"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.setdefault("param_dict", {})


def zeros(weight: NDArray) -> NDArray:
    """Return an array of zeros like ``weight``, as an initial state."""
    return nd.zeros_like(weight)


# Weak keys: a step must not keep its optimizer alive.
_steps: WeakKeyDictionary[Optimizer, Step] = WeakKeyDictionary()
"""Steps of :meth:`Optimizer.update` by optimizer; updaters have their own."""

register = Optimizer.register
create = Optimizer.create_optimizer


def __getattr__(name: str) -> Any:
    """Return a member of the package, as MXNet defines all optimizers in this module."""
    # Python asks modules for __path__ and the like; those are no optimizers.
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(sys.modules[__package__], name)
