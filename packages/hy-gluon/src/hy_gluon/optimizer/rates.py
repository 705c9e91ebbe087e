"""Learning rates, weight decays and counts of updates by parameter."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from hy_ndarray import HyError
from hy_ndarray.suggestion import Suggesting
from hy_ndarray.warning import warn

if TYPE_CHECKING:
    from hy_gluon.lr_scheduler import LRScheduler

__all__ = ["Index", "OptimizerError", "ParameterRates"]

Index: TypeAlias = int | str
"""Number or name of a parameter."""


class OptimizerError(HyError, ValueError, AssertionError, UserWarning):
    """An optimizer is unknown, or its arguments contradict each other."""


class ParameterRates(Suggesting):
    """Update counts, learning rates and weight decays of parameters.

    Args:
        param_idx2name: See :class:`Optimizer`, also for the other arguments.
        wd: Weight decay without the factors of parameters.
        learning_rate: Learning rate without the factors of parameters.
        lr_scheduler: Schedule of the learning rate.
        sym: Symbol whose variables declare factors.
        begin_num_update: Initial count of updates.
        param_dict: Parameters by index.

    Raises:
        OptimizerError: Rate or decay is not a number, or names are not by index.
    """

    def __init__(
        self,
        param_idx2name: Mapping[Index, str] | None,
        wd: float,
        learning_rate: float | None,
        lr_scheduler: "LRScheduler | None",
        sym: Any,
        begin_num_update: int,
        param_dict: Mapping[Index, Any] | None,
    ) -> None:
        if param_idx2name is not None and not hasattr(param_idx2name, "items"):
            kind = type(param_idx2name).__name__
            raise OptimizerError(f"param_idx2name must be a dict of names by index, not {kind}")
        for name, number in (("learning_rate", learning_rate), ("wd", wd)):
            if number is not None and not hasattr(number, "__float__"):
                raise OptimizerError(
                    f"{type(self).__name__}: {name} must be a number, not {number!r}"
                )
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
        # Counts by device: each context counts its own copies, as bias corrections need it.
        self._all_index_update_counts: dict[int, dict[Index, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = () if sym is None else (sym.attr_dict(), sym.list_arguments())
        self.param_dict = dict(param_dict or {})
        self.set_lr_mult({})
        self.set_wd_mult({})

    @property
    def learning_rate(self) -> float:
        """Return the current learning rate, before multiplication by the parameters' factors."""
        if self.lr_scheduler is not None:
            return self.lr_scheduler(self.num_update)
        assert self.lr is not None
        return self.lr

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises:
            OptimizerError: A schedule determines the rate.
        """
        if self.lr_scheduler is not None:
            raise OptimizerError(
                "LRScheduler of the optimizer has already been defined, and decides the rate; "
                "change that, or make the optimizer without one"
                # A schedule decides the rate; setting one beside it would have no effect.
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Mapping[Index, float]) -> None:
        """Raise an error: this old name of :meth:`set_lr_mult` is no longer supported."""
        raise OptimizerError(f"use set_lr_mult({args_lrscale!r}) instead of set_lr_scale")

    def set_lr_mult(self, args_lr_mult: Mapping[Index, float]) -> None:
        """Set factors of the learning rate by name or index.

        The factors apply to parameters that are not in ``param_dict``.
        """
        self.lr_mult = {**self._hy_declared("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Mapping[Index, float]) -> None:
        """Set factors of the weight decay, by name or index.

        The factors apply to parameters that are not in ``param_dict``. Without a factor, parameters
        whose names do not end in ``_weight`` or ``_gamma`` do not decay.
        """
        # Biases and betas do not decay, by the ending of their names, as in MXNet.
        spared: dict[Index, float] = {
            name: 0.0 for name in self.idx2name.values() if not name.endswith(self._DECAYING)
        }
        self.wd_mult = {**spared, **self._hy_declared("__wd_mult__"), **args_wd_mult}

    _DECAYING: ClassVar[tuple[str, ...]] = ("_weight", "_gamma")

    def _hy_declared(self, attribute: str) -> dict[Index, float]:
        """Return the factors that the symbol's variables declare in ``attribute``, by name."""
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {
            name: float(attributes[name][attribute])
            for name in names
            if attribute in attributes.get(name, {})
        }

    def _hy_factors(self, indices: Sequence[Index], attribute: str) -> list[float]:
        """Return the factor of each parameter: its own, or the one set by index or name."""
        owners = self.param_dict
        # C loops in the usual case; the exception costs only programs that have no param_dict.
        try:
            return [*map(attrgetter(attribute), map(owners.__getitem__, indices))]
        except KeyError:
            return [
                getattr(owners[i], attribute) if i in owners else self._hy_named(i, attribute)
                for i in indices
            ]

    def _hy_named(self, index: Index, attribute: str) -> float:
        factors: Mapping[Index, float] = getattr(self, attribute)
        if index in factors:
            return factors[index]
        return factors.get(self.idx2name[index], 1.0) if index in self.idx2name else 1.0

    def _get_lrs(self, indices: Sequence[Index]) -> list[float]:
        rate = self.learning_rate
        return [rate * factor for factor in self._hy_factors(indices, "lr_mult")]

    def _get_lr(self, index: Index) -> float:
        return self._get_lrs([index])[0]

    def _get_wds(self, indices: Sequence[Index]) -> list[float]:
        return [self.wd * factor for factor in self._hy_factors(indices, "wd_mult")]

    def _get_wd(self, index: Index) -> float:
        return self._get_wds([index])[0]

    def _set_current_context(self, device_id: int) -> None:
        """Use the update counts of a device from now on."""
        # MXNet counts per device, and points to the current one.
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _hy_move_counts(self, before: Sequence[int], after: Sequence[int]) -> None:
        """Transfer the update counts when parameters move to other devices.

        Args:
            before: Devices of the old copies.
            after: Devices of the new copies; additional ones get the counts of the first.
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

    def _hy_begin(self, index: Index) -> tuple[float, float, int]:
        """Count an update; return learning rate, weight decay, and the new count."""
        self._update_count(index)
        return self._get_lr(index), self._get_wd(index), self._index_update_count[index]
