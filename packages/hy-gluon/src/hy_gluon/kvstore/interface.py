"""KVStoreBase: the interface of stores, and their registry."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeAlias, TypeVar

from hy_gluon.kvstore.errors import KVStoreError
from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.warning import warn

__all__ = ["KVStoreBase", "Values"]

Values: TypeAlias = Any
"""An array, or a list of arrays by context; for several keys, a list of either."""
_Class = TypeVar("_Class", bound="type[KVStoreBase]")


class KVStoreBase:
    """Interface of stores for ``Trainer``, and base class of user-defined ones.

    A user-defined store overrides :meth:`broadcast`, :meth:`pushpull`, :meth:`is_capable`,
    ``type``, ``rank`` and ``num_workers``, and is registered with :meth:`register`.

    Example:
        >>> from hy_gluon import kvstore
        >>> @kvstore.KVStoreBase.register
        ... class Alone(kvstore.KVStoreBase):
        ...     type, rank, num_workers = "alone", 0, 1
        >>> kvstore.create("alone").num_workers
        1
    """

    OPTIMIZER = "optimizer"
    """Name of the capability to update weights with an optimizer."""
    sees_overflows: ClassVar[bool] = False
    """Whether :meth:`all_finite` is implemented."""
    clips_norms: ClassVar[bool] = False
    """Whether :meth:`update_all` clips the sums of gradients by their norm."""
    max_norm: float | None = None
    """Maximum L2 norm of all sums of gradients, after ``rescale_grad``; None: not clipped."""
    overlaps_sums: ClassVar[bool] = False
    """Whether :meth:`summing` is implemented."""
    saves_checkpoints: ClassVar[bool] = False
    """Whether ``save_checkpoint``, ``load_checkpoint`` and ``delete_checkpoint`` exist."""
    kv_registry: ClassVar[dict[str, "type[KVStoreBase]"]] = {}
    """Registered stores by class name in lower case."""

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Register a store for :func:`create`, under its class name in lower case.

        Raises:
            ArgumentError: ``klass`` is not a class.
        """
        if not isinstance(klass, type):
            raise ArgumentError(f"register takes a class of stores, not a {type(klass).__name__}")
        name = klass.__name__.lower()
        before = KVStoreBase.kv_registry.get(name)
        # Redefining a class in a notebook is usual, so it warns only.
        if before is not None and before is not klass:
            warn(f"store {name!r} is now {klass}, not {before}")
        KVStoreBase.kv_registry[name] = klass
        return klass

    def broadcast(self, key: Any, value: Values, out: Values, priority: int = 0) -> None:
        """Copy ``value`` of worker 0 into every array of ``out``."""
        raise NotImplementedError(f"{type(self).__name__} must define broadcast")

    def pushpull(self, key: Any, value: Values, out: Values = None, priority: int = 0) -> None:
        """Write the sum of ``value`` over contexts and workers into ``out`` (None: ``value``)."""
        raise NotImplementedError(f"{type(self).__name__} must define pushpull")

    def update_all(
        self,
        keys: Sequence[Any],
        values: Sequence[Sequence[NDArray]],
        outs: Sequence[Sequence[NDArray]],
    ) -> None:
        """Update the weights ``outs`` by the sums of their gradients ``values``.

        Args:
            keys: Numbers of the parameters.
            values: Gradients by parameter, then by context.
            outs: Weights by parameter, then by context; updated in place.
        """
        for key, copies, targets in zip(keys, values, outs, strict=True):
            self.pushpull(key, list(copies), out=list(targets), priority=-key)

    def summing(
        self,
        keys: Sequence[Any],  # noqa: ARG002
        gradients: Sequence[NDArray],  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Return a context in which gradients are summed while they are computed.

        Args:
            keys: Numbers of the parameters.
            gradients: Their gradient arrays.
        """
        raise KVStoreError(f"a store of type {self.type!r} sums gradients in its update")

    def all_finite(self, gradients: Sequence[NDArray]) -> bool:  # noqa: ARG002
        """Return whether the gradients' sums over workers are finite; equal on all workers.

        Args:
            gradients: Gradients of this worker.
        """
        raise KVStoreError(
            "amp: workers must see the same overflows, which sums of gradients have; make "
            "the trainer with update_on_kvstore=False"
        )

    def any_of_workers(self, flags: Sequence[bool]) -> list[bool]:
        """Return for each flag whether it is set on any worker; by default, on this one."""
        return list(flags)

    def gather(self) -> None:
        """Gather all parameters, if workers keep only a part each; does nothing by default."""

    def set_optimizer(self, optimizer: Any) -> None:
        """Update stored values with this optimizer; only for stores with that capability."""
        raise NotImplementedError(f"{type(self).__name__} holds no optimizer")

    def _set_updater(self, updater: Any) -> None:
        """Update by a trainer's updater, where it can see the states; other stores have theirs."""

    def is_capable(self, capability: str) -> bool:
        """Return whether the store has a capability, such as :attr:`OPTIMIZER`."""
        raise NotImplementedError(f"{type(self).__name__} must define is_capable")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states to a file."""
        raise NotImplementedError(f"{type(self).__name__} holds no optimizer")

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states that :meth:`save_optimizer_states` wrote."""
        raise NotImplementedError(f"{type(self).__name__} holds no optimizer")

    def from_states(self, function: Callable[[NDArray, Any], NDArray]) -> dict[Any, NDArray]:  # noqa: ARG002
        """Return arrays by key, computed from each parameter and its optimizer state.

        Args:
            function: Called with a parameter's array and its state; returns an array of that shape.
        """
        raise KVStoreError(f"a store of type {self.type!r} does not show the optimizer's states")

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        raise NotImplementedError(f"{type(self).__name__} must define type")

    @property
    def rank(self) -> int:
        """Index of this worker, from 0."""
        raise NotImplementedError(f"{type(self).__name__} must define rank")

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        raise NotImplementedError(f"{type(self).__name__} must define num_workers")


def checked_capability(capability: str) -> str:
    """Return ``capability``; raise an error if its name is unknown.

    Raises:
        KVStoreError: The name is unknown.
    """
    if capability.lower() != KVStoreBase.OPTIMIZER:
        raise KVStoreError(f"Unknown capability: {capability}; there is 'optimizer'")
    return capability


def listed(value: Any) -> list[Any]:
    """Return a list or tuple as a list, anything else as a list of one."""
    return list(value) if isinstance(value, list | tuple) else [value]


def summed(values: Sequence[NDArray]) -> NDArray:
    """Return the sum of arrays on the first one's context; a single array unchanged."""
    total = values[0]
    for k, value in enumerate(values[1:]):
        moved = value.as_in_context(total.context)
        if k == 0:
            # The first sum makes a new array: values[0] is a user's gradient and stays.
            total = total + moved
        else:
            total += moved
    return total
