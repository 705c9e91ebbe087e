"""Optimizer: learning rates, weight decay and update counts by parameter; the registry."""

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Never, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from hy_gluon.optimizer.checks import Check
from hy_gluon.optimizer.eager_step import apply, check_arrays
from hy_gluon.optimizer.registry import Registry
from hy_gluon.optimizer.rule import numbers_by_name
from hy_gluon.optimizer.step import Step
from hy_gluon.optimizer.work import Settings
from hy_ndarray import HyError, NDArray, autograd, nd
from hy_ndarray.suggestion import Suggesting, accepted_arguments, hint, unknown_argument
from hy_ndarray.warning import warn

if TYPE_CHECKING:
    from hy_gluon.lr_scheduler import LRScheduler

__all__ = ["Optimizer", "OptimizerError", "State", "create", "each", "is_half", "register", "zeros"]

Index: TypeAlias = int | str
State: TypeAlias = Any
"""What an optimizer keeps for a weight: None, an array, or nested tuples of these."""

_Class = TypeVar("_Class", bound="type[Optimizer]")
_HALVES = ("float16", "bfloat16")
_registry: Registry[type["Optimizer"]] = Registry()


class OptimizerError(HyError, ValueError, AssertionError, UserWarning):
    """An optimizer is unknown, or its arguments contradict each other."""


def is_half(array: NDArray) -> bool:
    """Return whether the dtype of ``array`` is too narrow for updates, as 16-bit floats are."""
    return np.dtype(array.dtype).name in _HALVES


def each(
    index: Any, weight: Any, grad: Any, state: Any
) -> Iterator[tuple[Index, NDArray, NDArray, State]]:
    """Yield the items of ``update``'s arguments, which are single ones or lists."""
    if isinstance(index, list | tuple):
        yield from zip(index, weight, grad, state, strict=True)
    else:
        yield index, weight, grad, state


class Optimizer(Suggesting):
    """Base class of all optimizers: an update rule, and settings for each parameter.

    Subclasses define :meth:`create_state`, and :meth:`rule` or :meth:`update`. A rule becomes a
    program that changes all weights of a trainer; :meth:`update` is called as it is.

    Args:
        rescale_grad: Factor of all gradients; the trainer sets it to 1 / batch size.
        param_idx2name: Names of the parameters by index. Those that do not end in ``_weight`` or
            ``_gamma`` get no weight decay.
        wd: Weight decay: factor of the weights that is added to their gradients.
        clip_gradient: Bound of each element of the rescaled gradient; none if None.
        learning_rate: The rate; 0.01 if None and there is no schedule.
        lr_scheduler: Computes the rate from the number of updates; begins at ``learning_rate``
            if both are given.
        sym: Symbol whose variables have ``__lr_mult__`` and ``__wd_mult__``.
        begin_num_update: The number of updates to begin counting at.
        multi_precision: Keep float32 copies of 16-bit weights and update those.
        param_dict: Parameters by index; their ``lr_mult`` and ``wd_mult`` come first.

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
    """By setting of a subclass: what a file may say of it, beyond the type that it has."""

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
        if param_idx2name is not None and not hasattr(param_idx2name, "items"):
            kind = type(param_idx2name).__name__
            raise OptimizerError(f"param_idx2name holds names by index, and is no {kind}")
        for name, number in (("learning_rate", learning_rate), ("wd", wd)):
            if number is not None and not hasattr(number, "__float__"):
                raise OptimizerError(
                    f"{type(self).__name__}: {name} must be a number, not {number!r}"
                )
        self.rescale_grad = rescale_grad
        self.lr_scheduler = lr_scheduler
        if lr_scheduler is None:
            # 0.01, MXNet's default rate.
            learning_rate = 0.01 if learning_rate is None else learning_rate
        elif learning_rate is not None:
            if lr_scheduler.base_lr != learning_rate:
                warn(
                    "learning rate from ``lr_scheduler`` has been overwritten by "
                    f"``learning_rate`` in optimizer: {learning_rate} takes the place of base_lr "
                    f"{lr_scheduler.base_lr}"
                )
            lr_scheduler.base_lr = learning_rate
        self.lr = learning_rate
        self.wd = wd
        self.lr_mult: dict[Index, float] = {}
        self.wd_mult: dict[Index, float] = {}
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self._all_index_update_counts: dict[int, dict[Index, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.clip_gradient = clip_gradient
        # Counts by device: each context counts its own copies, as bias corrections need it.
        self.multi_precision = multi_precision
        self.aggregate_num = 0
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = () if sym is None else (sym.attr_dict(), sym.list_arguments())
        self.param_dict = dict(param_dict or {})
        self.set_lr_mult({})
        self.set_wd_mult({})

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
            OptimizerError: There is none of that name.
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
    """Names of the attributes, numbers or None, that :meth:`rule` is given."""

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return the state of ``weight``; None by default.

        Args:
            index: Which parameter it is.
            weight: The weight.
        """

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step, computed with operators.

        It is called with arrays, and with symbols to become a graph; so it may ask which settings
        are None, and what the state is made of, but not for values, nor for other attributes.

        Args:
            weight: The weight.
            grad: Its gradient, neither rescaled nor clipped.
            state: What :meth:`create_state` made; the new one is of the same form. What an operator
                overwrites is returned as it is.
            n: ``rescale_grad``, ``clip_gradient`` (None: there is no bound), ``least_gradient``
                (that bound, negative), the ``rule_settings``, and :meth:`rule_numbers`, as
                attributes; ``variant`` is what :meth:`rule_variant` gave, ``dtype`` the name of the
                weight's dtype.

        Returns:
            Weight and state.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update")

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # for subclasses
        """Return the numbers of a step for :meth:`rule`; by default learning rate and decay.

        Args:
            index: Which parameter it is.
            lr: Its learning rate.
            wd: Its weight decay.
            t: How many steps it has had, this one included.
        """
        return {"lr": lr, "wd": wd}

    def rule_variant(self, index: Index, wd: float) -> Hashable:  # noqa: ARG002  # for subclasses
        """Return a key on which :meth:`rule` may depend; each value has its own graph."""
        return ()

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # for subclasses
        """Return whether a row_sparse gradient changes only its own rows of weight and states.

        :meth:`rule` is then called with those rows of weight, gradient and states.

        Args:
            weight: The weight.
            n: As for :meth:`rule`.
        """
        return False

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` and ``state`` in place by one step, by default by :meth:`rule`.

        Where :attr:`aggregate_num` is above 0, all four are sequences.

        Args:
            index: Which parameter it is.
            weight: The weight.
            grad: Its gradient.
            state: What :meth:`create_state` made.

        Raises:
            ArgumentError: A weight or gradient is no NDArray.
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
        numbers, variants = self._rule_numbers(index)
        shared = Settings(self).numbers
        for k, (w, g, s) in enumerate(zip(weight, grad, state, strict=True)):
            own = {name: column[k] for name, column in numbers.items()}
            apply(self, w, g, s, {**shared, **own}, variants[k])  # says what is in a graph

    # A user's subclass that defines update, even on an instance, means it.
    def _goes_by_rule(self) -> bool:
        """Return whether updates use :meth:`rule`, as no subclass overrides ``update``."""
        kind, own = type(self), vars(self)
        return (
            kind.rule is not Optimizer.rule
            and kind.update is Optimizer.update
            and kind.update_multi_precision is Optimizer.update_multi_precision
            and "update" not in own
            and "update_multi_precision" not in own
        )

    def _rule_numbers(
        self, index: Sequence[Index]
    ) -> tuple[dict[str, list[float]], list[Hashable]]:
        """Count a step of each parameter; return :meth:`rule`'s numbers by name, and variants."""
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

    # --- mixed precision --------------------------------------------------------------------

    def create_state_multi_precision(self, index: Index, weight: NDArray) -> State:
        """Return a state as :meth:`create_state` does, with a float32 copy of 16-bit weights."""
        # MXNet's layout of states: the copy first, then the optimizer's own.
        if is_half(weight):
            if self.multi_precision:
                copy = weight.astype("float32")
                return copy, self.create_state(index, copy)
            self._warn_of_half(weight)
        return self.create_state(index, weight)

    def _copy_of(self, weight: NDArray, state: State) -> tuple[NDArray | None, State]:
        """Return the float32 copy of a weight, or None, and the remaining state."""
        if self.multi_precision and is_half(weight):
            copy, states = state
            return copy, states
        return None, state

    def _warn_of_half(self, weight: NDArray) -> None:
        warn(
            f"{type(self).__name__} updates {np.dtype(weight.dtype).name} weights in their own "
            "precision, which loses small steps; multi_precision=True keeps float32 copies"
        )

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Update as :meth:`update` does, on the float32 copy of a 16-bit weight."""
        kind = type(self)
        # What takes the place of a rule is handed one weight at a time.
        redefined = kind.update is not Optimizer.update or "update" in vars(self)
        one = kind.rule is not Optimizer.rule and redefined
        several = isinstance(index, list | tuple) and not one
        if not self.multi_precision and not one:
            self.update(index, weight, grad, state)
            return
        for i, w, g, s in each(index, weight, grad, state):
            copy, states = self._copy_of(w, s)
            # The step is computed in float32 and rounded once, into the weight.
            target, step = (w, g) if copy is None else (copy, g.astype("float32"))
            if several:
                self.update((i,), (target,), (step,), [states])
            else:
                self.update(i, target, step, states)
            if copy is not None:
                w[:] = copy

    # --- settings ---------------------------------------------------------------------------

    @property
    def learning_rate(self) -> float:
        """Return the current learning rate, without the factors of parameters."""
        if self.lr_scheduler is not None:
            return self.lr_scheduler(self.num_update)
        assert self.lr is not None
        return self.lr

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises:
            OptimizerError: A schedule decides it.
        """
        if self.lr_scheduler is not None:
            raise OptimizerError(
                "LRScheduler of the optimizer has already been defined, and decides the rate; "
                "change that, or make the optimizer without one"
                # A schedule decides the rate; setting one beside it would have no effect.
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Mapping[Index, float]) -> None:
        """Refuse: the old name of :meth:`set_lr_mult` is no longer supported."""
        raise OptimizerError(f"use set_lr_mult({args_lrscale!r}) instead of set_lr_scale")

    def set_lr_mult(self, args_lr_mult: Mapping[Index, float]) -> None:
        """Set factors of the learning rate, by name or index.

        They count for parameters that are not in ``param_dict``.
        """
        self.lr_mult = {**self._declared("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Mapping[Index, float]) -> None:
        """Set factors of the weight decay, by name or index.

        They count for parameters that are not in ``param_dict``. Without one, parameters that are
        named other than ``_weight`` or ``_gamma`` at the end do not decay.
        """
        # Biases and betas do not decay, by the ending of their names, as in MXNet.
        spared: dict[Index, float] = {
            name: 0.0 for name in self.idx2name.values() if not name.endswith(self._DECAYING)
        }
        self.wd_mult = {**spared, **self._declared("__wd_mult__"), **args_wd_mult}

    _DECAYING: ClassVar[tuple[str, ...]] = ("_weight", "_gamma")

    def _declared(self, attribute: str) -> dict[Index, float]:
        """Return the factors declared by the symbol's variables."""
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {
            name: float(attributes[name][attribute])
            for name in names
            if attribute in attributes.get(name, {})
        }

    def _factors(self, indices: Sequence[Index], attribute: str) -> list[float]:
        """Return the factors of parameters: their own, or those set by index or name."""
        owners = self.param_dict
        # C loops in the usual case; the exception costs only programs that have no param_dict.
        try:
            return [*map(attrgetter(attribute), map(owners.__getitem__, indices))]
        except KeyError:
            return [
                getattr(owners[i], attribute) if i in owners else self._named(i, attribute)
                for i in indices
            ]

    def _named(self, index: Index, attribute: str) -> float:
        factors: Mapping[Index, float] = getattr(self, attribute)
        if index in factors:
            return factors[index]
        return factors.get(self.idx2name[index], 1.0) if index in self.idx2name else 1.0

    def _get_lrs(self, indices: Sequence[Index]) -> list[float]:
        rate = self.learning_rate
        return [rate * factor for factor in self._factors(indices, "lr_mult")]

    def _get_lr(self, index: Index) -> float:
        return self._get_lrs([index])[0]

    def _get_wds(self, indices: Sequence[Index]) -> list[float]:
        return [self.wd * factor for factor in self._factors(indices, "wd_mult")]

    def _get_wd(self, index: Index) -> float:
        return self._get_wds([index])[0]

    # --- counts -----------------------------------------------------------------------------

    def _set_current_context(self, device_id: int) -> None:
        """Use the update counts of a device's copies of the parameters from now on."""
        # MXNet counts per device, and points to the current one.
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _move_counts(self, before: Sequence[int], after: Sequence[int]) -> None:
        """Transfer the update counts from old devices to new ones.

        Args:
            before: Devices of the copies there were.
            after: Devices of those there are; ones more than before go on as the first.
        """
        counts = [self._all_index_update_counts.get(device, {}) for device in before]
        # A device without counts goes on where the first copy is.
        more = [counts[0]] * (len(after) - len(before))
        pairs = zip(after, [*counts, *more], strict=False)
        self._all_index_update_counts.update({device: dict(count) for device, count in pairs})

    def _update_count(self, index: Any) -> None:
        """Increase the update counts of one or several parameters."""
        counts, largest = self._index_update_count, self.num_update
        for i in index if isinstance(index, list | tuple) else [index]:
            counts[i] = count = counts.get(i, self.begin_num_update) + 1
            if count > largest:
                # num_update is the largest count, which schedules are asked with.
                self.num_update = largest = count

    def _begin(self, index: Index) -> tuple[float, float, int]:
        """Count an update; return learning rate, weight decay, and the new count."""
        self._update_count(index)
        return self._get_lr(index), self._get_wd(index), self._index_update_count[index]

    # --- gradients --------------------------------------------------------------------------

    @staticmethod
    def _common(n: Any) -> dict[str, Any]:
        """Return the arguments that all optimizer operators share."""
        common = {"rescale_grad": n.rescale_grad}
        if n.clip_gradient is not None:
            common["clip_gradient"] = n.clip_gradient
        return common

    @staticmethod
    def _clipped(grad: Any, n: Any) -> Any:
        """Return the gradient clipped to the bound, if one is set."""
        if n.clip_gradient is None:
            return grad
        return nd.clip(grad, n.least_gradient, n.clip_gradient)

    def _rescaled(self, grad: Any, n: Any) -> Any:
        """Return the gradient rescaled and clipped."""
        return self._clipped(grad * n.rescale_grad, n)

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
    """Return zeros like ``weight``, as an initial state."""
    result: NDArray = nd.zeros_like(weight)
    return result


# Weak keys: a step must not keep its optimizer alive.
_steps: WeakKeyDictionary[Optimizer, Step] = WeakKeyDictionary()
"""What :meth:`Optimizer.update` runs, beside the steps of updaters."""

register = Optimizer.register
create = Optimizer.create_optimizer


def __getattr__(name: str) -> Any:
    """Return other members of the package, which MXNet defines in this module."""
    # Python asks modules for __path__ and the like; those are no optimizers.
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(sys.modules[__package__], name)
