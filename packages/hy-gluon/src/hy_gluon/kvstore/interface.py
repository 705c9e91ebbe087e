"""KVStoreBase: the interface of stores, and their registry."""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

from hy_gluon.kvstore.errors import KVStoreError
from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.warning import warn

__all__ = ["KVStoreBase", "Values"]

Values: TypeAlias = Any
"""An array, or one for each context; for several keys a list with one of these for each."""
_Class = TypeVar("_Class", bound="type[KVStoreBase]")


class KVStoreBase:
    """Interface of stores for ``Trainer``, and base class of user-defined ones.

    Such a store defines :meth:`broadcast`, :meth:`pushpull`, :meth:`is_capable`, ``type``,
    ``rank`` and ``num_workers``, and is made known with :meth:`register`.

    Example:
        >>> from hy_gluon import kvstore
        >>> @kvstore.KVStoreBase.register
        ... class Alone(kvstore.KVStoreBase):
        ...     type, rank, num_workers = "alone", 0, 1
        >>> kvstore.create("alone").num_workers
        1
    """

    OPTIMIZER = "optimizer"
    """The capability of holding an optimizer and updating weights with it."""
    sees_overflows: ClassVar[bool] = False
    """Whether :meth:`all_finite` is there."""
    kv_registry: ClassVar[dict[str, "type[KVStoreBase]"]] = {}
    """Stores by the name of their class in lower case."""

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Register a store for :func:`create`, under its class name in lower case.

        Raises:
            ArgumentError: ``klass`` is no class.
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
        """Write ``value`` of the worker with rank 0 into every array of ``out``."""
        raise NotImplementedError(f"{type(self).__name__} must define broadcast")

    def pushpull(self, key: Any, value: Values, out: Values = None, priority: int = 0) -> None:
        """Write the sum of ``value`` over contexts and workers into ``out``; None: ``value``."""
        raise NotImplementedError(f"{type(self).__name__} must define pushpull")

    def update_all(
        self,
        keys: Sequence[Any],
        values: Sequence[Sequence[NDArray]],
        outs: Sequence[Sequence[NDArray]],
    ) -> None:
        """Write to each of ``outs`` its value updated by the sum of ``values``.

        Args:
            keys: Numbers of the parameters.
            values: For each the gradients on all contexts.
            outs: For each the weights.
        """
        for key, copies, targets in zip(keys, values, outs, strict=True):
            self.pushpull(key, list(copies), out=list(targets), priority=-key)

    def all_finite(self, gradients: Sequence[NDArray]) -> bool:  # noqa: ARG002
        """Return whether the sums of gradients over workers are finite, the same on all of them.

        Args:
            gradients: Those of this worker.
        """
        raise KVStoreError(
            "amp: workers must see the same overflows, which sums of gradients have; make "
            "the trainer with update_on_kvstore=False"
        )

    def gather(self) -> None:
        """Gather all parameters, for a store whose workers keep a part each."""

    def set_optimizer(self, optimizer: Any) -> None:
        """Update stored values with this optimizer; only for a store that supports it."""
        raise NotImplementedError(f"{type(self).__name__} holds no optimizer")

    def is_capable(self, capability: str) -> bool:
        """Return whether the store has a capability, such as :attr:`OPTIMIZER`."""
        raise NotImplementedError(f"{type(self).__name__} must define is_capable")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states to a file."""
        raise NotImplementedError(f"{type(self).__name__} holds no optimizer")

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states that :meth:`save_optimizer_states` wrote."""
        raise NotImplementedError(f"{type(self).__name__} holds no optimizer")

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        raise NotImplementedError(f"{type(self).__name__} must define type")

    @property
    def rank(self) -> int:
        """Number of this worker, from 0."""
        raise NotImplementedError(f"{type(self).__name__} must define rank")

    @property
    def num_workers(self) -> int:
        """Return the number of workers."""
        raise NotImplementedError(f"{type(self).__name__} must define num_workers")


def checked_capability(capability: str) -> str:
    """Return the capability; refuse unknown ones.

    Raises:
        KVStoreError: There is none of that name.
    """
    if capability.lower() != KVStoreBase.OPTIMIZER:
        raise KVStoreError(f"Unknown capability: {capability}; there is 'optimizer'")
    return capability


def listed(value: Any) -> list[Any]:
    """Return a list of one or several objects."""
    return list(value) if isinstance(value, list | tuple) else [value]


def summed(values: Sequence[NDArray]) -> NDArray:
    """Return the sum of arrays of several contexts on the first one; a single one unchanged."""
    total = values[0]
    for k, value in enumerate(values[1:]):
        moved = value.as_in_context(total.context)
        if k == 0:
            # The first sum makes a new array: values[0] is a user's gradient and stays.
            total = total + moved
        else:
            total += moved
    return total
