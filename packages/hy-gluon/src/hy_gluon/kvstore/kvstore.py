"""KVStore: a store of arrays by key in one process, with push and pull."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from hy_gluon.kvstore.compression import Compression
from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.interface import (
    KVStoreBase,
    Values,
    checked_capability,
    summed,
)
from hy_gluon.kvstore.pairs import Key, flat, only, paired
from hy_gluon.optimizer import Optimizer, OptimizerError, Updater, get_updater
from hy_io import atomic_write, read_file
from hy_ndarray import (
    ArgumentError,
    Context,
    HyError,
    IndexingError,
    NDArray,
    ShapeError,
    autograd,
    cpu,
    nd,
)
from hy_ndarray.sparse.rows import rows_of

__all__ = ["LOCAL", "KVStore"]

_Updater: TypeAlias = Callable[[Any, Any, Any], None]
LOCAL = (
    "local",
    "device",
    "nccl",
    "local_allreduce_cpu",
    "local_allreduce_device",
    "local_update_cpu",
)
"""Names of stores of one process."""


class KVStore(KVStoreBase):
    """Arrays by key; pushed values are summed over contexts, then stored or used for an update.

    Keys are all integers or all strings. Methods also take a list of keys with a list of values: an
    array, or a list of arrays by context, for each key. ``priority`` has no effect.

    Args:
        handle: Kind of store: ``"local"`` keeps and sums arrays on the CPU, ``"device"`` and
            ``"nccl"`` on the context of pushed values.

    Example:
        >>> from hy_ndarray import nd
        >>> store = KVStore("local")
        >>> store.init("w", nd.zeros((2,)))
        >>> store.push("w", [nd.array([1.0, 2.0]), nd.array([3.0, 4.0])])
        >>> out = nd.zeros((2,))
        >>> store.pull("w", out=out)
        >>> out.asnumpy()
        array([4., 6.], dtype=float32)
    """

    def __init__(self, handle: str) -> None:
        self._kind = handle
        # Kinds with "device" in their name sum where the gradients are, others on the CPU.
        self._on_cpu = "device" not in handle and handle != "nccl"
        self._compresses = not self._on_cpu
        self._stored: dict[Key, NDArray] = {}
        self._with_context: set[Key] = set()  # those whose context is decided
        self._updater: _Updater | None = None
        self._compression: Compression | None = None
        self._residuals: dict[tuple[Key, int], NDArray] = {}

    # --- arrays -----------------------------------------------------------------------------

    def init(self, key: Any, value: Values) -> None:
        """Store copies of arrays under new keys.

        Args:
            key: An integer or a string, or a list of them.
            value: One array per key.

        Raises:
            KVStoreError: A key exists already, or integers and strings are mixed.
            ArgumentError: ``value`` is not one array per key.
        """
        pairs = [(k, only(k, values)) for k, values in paired(key, value)]
        keys = [k for k, _ in pairs]
        # All keys are checked before the first is stored.
        for i, k in enumerate(keys):
            if k in self._stored or k in keys[:i]:
                raise KVStoreError(
                    f"duplicate init of key {k!r}; init, or broadcast, is called once for each key"
                )
            self._check_kind(k, keys[0])
        with autograd.pause():
            self._stored.update(zip(keys, self._initial(pairs), strict=True))

    def _initial(self, pairs: Sequence[tuple[Key, NDArray]]) -> list[NDArray]:
        """Return copies of values, to be stored as the initial values of their keys."""
        return [array.copyto(cpu() if self._on_cpu else array.context) for _, array in pairs]

    def push(self, key: Any, value: Values, priority: int = 0) -> None:  # noqa: ARG002  # MXNet's
        """Sum the values of each key; the sum is stored, or passed to the updater.

        Args:
            key: See :meth:`init`.
            value: For each key an array, or a list of arrays by context.
            priority: No effect.

        Raises:
            KVStoreError: A key was not initialized.
            ShapeError: A value's shape differs from the stored array's; nothing is changed.
        """
        groups: dict[Key, list[NDArray]] = {}
        # A key may come several times; its values are one sum.
        for k, values in paired(key, value):
            groups.setdefault(k, []).extend(values)
        for k, values in groups.items():
            self._check_shapes("push", k, values)
        # Pushed gradients belong to no graph; without the pause, updates would be recorded.
        with autograd.pause():
            for k, values in groups.items():
                self._follow(k, values[0])
            keys = list(groups)
            contexts = [self._stored[k].context for k in keys]
            self._take(keys, self._totals(keys, list(groups.values()), contexts))

    def _check_shapes(self, what: str, key: Key, arrays: Sequence[NDArray]) -> None:
        stored = self._stored_value(key)
        for array in arrays:
            if array.shape != stored.shape:
                raise ShapeError(
                    f"{what}: key {key!r} holds an array {stored.shape}, but got {array.shape}"
                )

    def _follow(self, key: Key, value: NDArray) -> None:
        """Move the stored array to the context of the first pushed value, unless on the CPU."""
        # A key's array moves to the device of its first value, once.
        if not self._on_cpu and key not in self._with_context:
            self._stored[key] = self._stored[key].as_in_context(value.context)
        self._with_context.add(key)

    def _totals(
        self, keys: Sequence[Key], values: Sequence[Sequence[NDArray]], contexts: Sequence[Context]
    ) -> list[NDArray]:
        """Return the sum of each key's values, on the given context."""
        return [
            summed(self._compressed(key, [value.as_in_context(context) for value in copies]))
            for key, copies, context in zip(keys, values, contexts, strict=True)
        ]

    def _compressed(self, key: Key, values: Sequence[NDArray]) -> list[NDArray]:
        """Return the values, each compressed with its own residual if compression is set."""
        if self._compression is None:
            return list(values)
        compressed = []
        for i, value in enumerate(values):
            # A residual for each context, since each compresses its own gradient.
            residual = self._residuals.get((key, i))
            if residual is None:
                residual = self._residuals[key, i] = self._compression.residual(value)
            compressed.append(self._compression.compress(value, residual))
        return compressed

    def _take(self, keys: Sequence[Key], totals: Sequence[NDArray]) -> None:
        """Store each sum, or update the stored array with it if there is an updater."""
        stored = [self._stored[key] for key in keys]
        updater = self._updater
        if updater is None:
            for array, total in zip(stored, totals, strict=True):
                total.copyto(array)
        elif isinstance(updater, Updater):
            # One call for all keys, so that the updater can join small weights.
            updater(list(keys), list(totals), stored)
        else:
            # A user's function of MXNet's form: one key at a time.
            for key, total, array in zip(keys, totals, stored, strict=True):
                updater(key, total, array)

    def pull(
        self,
        key: Any,
        out: Values = None,
        priority: int = 0,  # noqa: ARG002  # MXNet's
        ignore_sparse: bool = True,
    ) -> None:
        """Write the stored value of each key into every array of ``out``.

        Args:
            key: See :meth:`init`.
            out: Arrays like ``value`` of :meth:`push`, of any dtype and on any context.
            priority: No effect.
            ignore_sparse: Leave sparse arrays of ``out`` unchanged; use :meth:`row_sparse_pull` for
                rows.

        Raises:
            ArgumentError: ``out`` is None.
            KVStoreError: A key was not initialized.
            ShapeError: An array of ``out`` has another shape.
        """
        if out is None:
            raise ArgumentError("pull needs out, the arrays to write into")
        pairs = paired(key, out)
        for k, targets in pairs:
            self._check_shapes("pull", k, targets)
        with autograd.pause():
            for k, targets in pairs:
                stored = self._stored[k]
                for target in targets:
                    if target.stype == "default" or not ignore_sparse:
                        stored.copyto(target)

    def pushpull(self, key: Any, value: Values, out: Values = None, priority: int = 0) -> None:
        """Push ``value``, then pull into ``out``, or into ``value`` if ``out`` is None."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def broadcast(self, key: Any, value: Values, out: Values, priority: int = 0) -> None:
        """Initialise a key with ``value``, then pull into ``out``."""
        if out is None:
            raise ArgumentError("broadcast needs out, the arrays to write into")
        self.init(key, value)
        self.pull(key, out, priority)

    def row_sparse_pull(
        self,
        key: Any,
        out: Values = None,
        priority: int = 0,  # noqa: ARG002  # MXNet's
        row_ids: Values = None,
    ) -> None:
        """Write the stored rows ``row_ids`` into ``out``, which keeps no other rows.

        Args:
            key: See :meth:`init`.
            out: Arrays of storage row_sparse.
            priority: No effect.
            row_ids: Row indices in any order: one array for all arrays of ``out``, or one for each.

        Raises:
            ArgumentError: ``out`` or ``row_ids`` is None.
            KVStoreError: A key was not initialized, or a stored array or an array of ``out`` is
                dense.
            IndexingError: A row index is out of range.
        """
        if out is None or row_ids is None:
            raise ArgumentError("row_sparse_pull needs out and row_ids")
        pairs = paired(key, out)
        for k, outs in pairs:
            self._check_shapes("row_sparse_pull", k, outs)
            storages = [array.stype for array in (self._stored[k], *outs)]
            if set(storages) != {"row_sparse"}:
                raise KVStoreError(
                    f"row_sparse_pull: key {k!r} keeps a {storages[0]} array, and out is "
                    f"{', '.join(storages[1:])}; all must be row_sparse: tostype('row_sparse')"
                )
        targets = [(self._stored[k], target) for k, outs in pairs for target in outs]
        # One list of rows serves all targets.
        ids = list(flat(row_ids))
        if len(ids) == 1:
            ids *= len(targets)
        if len(ids) != len(targets):
            raise ArgumentError(
                f"row_sparse_pull: {len(ids)} arrays of row_ids for {len(targets)} of out"
            )
        with autograd.pause():
            for (stored, target), rows in zip(targets, ids, strict=True):
                _take_rows(stored, rows).copyto(target)

    # --- for trainers -----------------------------------------------------------------------

    def _join(self, key: Key, arrays: Sequence[NDArray]) -> None:
        """Initialise a key with a trainer's first array itself, so that updates change it in place.

        All arrays get the initial value.
        """
        # No copy: the trainer's first weight is the stored one, which an update changes in place.
        if key in self._stored:
            raise KVStoreError(
                f"duplicate init of key {key!r}: a store serves one trainer; give each its own"
            )
        self._check_kind(key, key)
        with autograd.pause():
            (start,) = self._initial([(key, arrays[0])])
            for array in arrays:
                start.copyto(array)
        self._stored[key] = arrays[0]
        self._with_context.add(key)

    def _allreduce(self, keys: Sequence[Key], values: Sequence[Sequence[NDArray]]) -> None:
        """Replace all copies of each value by their sum over contexts and workers.

        Stored values stay unchanged.
        """
        with autograd.pause():
            contexts = [copies[0].context for copies in values]
            for total, copies in zip(self._totals(keys, values, contexts), values, strict=True):
                for array in copies:
                    total.copyto(array)

    # --- keys -------------------------------------------------------------------------------

    def _stored_value(self, key: Key) -> NDArray:
        stored = self._stored.get(key)
        if stored is None:
            self._check_kind(key, next(iter(self._stored), key))
            raise KVStoreError(f"key {key!r} has not been inited; call init or broadcast first")
        return stored

    def _check_kind(self, key: Key, first: Key) -> None:
        for other in (first, next(iter(self._stored), first)):
            if isinstance(other, str) is not isinstance(key, str):
                raise KVStoreError(
                    f"Mixed key types are not allowed: {key!r} in a store with the key {other!r}"
                )

    # --- updates ----------------------------------------------------------------------------

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Use an optimizer from now on: pushed values are gradients that update the stored arrays.

        Raises:
            OptimizerError: ``optimizer`` is not an Optimizer.
        """
        if not isinstance(optimizer, Optimizer):
            raise OptimizerError(
                f"set_optimizer takes an Optimizer, not a {type(optimizer).__name__}; "
                "optimizer.create(name) makes one"
            )
        self._set_updater(get_updater(optimizer))

    def _set_updater(self, updater: _Updater) -> None:
        """Set a function ``updater(key, gradient, stored)`` that updates ``stored`` in place."""
        self._updater = updater

    def set_gradient_compression(self, compression_params: Any) -> None:
        """Compress pushed gradients to two bits per element, with error feedback.

        Args:
            compression_params: ``{"type": "2bit", "threshold": 0.5}``.

        Raises:
            KVStoreError: The store keeps arrays on the CPU, or the parameters are invalid.
            ArgumentError: ``compression_params`` is not a dictionary.
        """
        if not self._compresses:
            raise KVStoreError(
                f"Gradient compression is not supported for this type of kvstore, {self.type!r}; "
                "use 'device' or 'dist_sync'"
            )
        self._compression = Compression.of(compression_params)
        self._residuals.clear()

    def is_capable(self, capability: str) -> bool:
        """Return True: the only known capability, ``"optimizer"``, is supported.

        Raises:
            KVStoreError: The capability is unknown.
        """
        checked_capability(capability)
        return True

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states to a file, atomically.

        Args:
            fname: Path of the file.
            dump_optimizer: Include the optimizer's settings and counts.

        Raises:
            KVStoreError: The store has no optimizer.
            StatesError: A state or setting cannot be saved.
        """
        content = self._own_updater("save").get_states(dump_optimizer)
        with atomic_write(fname) as file:
            file.write(content)

    def load_optimizer_states(self, fname: str) -> None:
        """Load states that :meth:`save_optimizer_states` or MXNet wrote, all of them or none.

        Raises:
            KVStoreError: The store has no optimizer.
            StatesError: The file is damaged, or has no optimizer states.
        """
        updater = self._own_updater("load")
        try:
            updater.set_states(read_file(fname))
        except HyError as error:
            error.add_note(f"in file {fname}")
            raise

    def _own_updater(self, what: str) -> Updater:
        if not isinstance(self._updater, Updater):
            raise KVStoreError(
                f"cannot {what} optimizer states: the store has no optimizer; call set_optimizer"
            )
        return self._updater

    # --- workers ----------------------------------------------------------------------------

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        return self._kind

    @property
    def rank(self) -> int:
        """Index of this worker: 0."""
        return 0

    @property
    def num_workers(self) -> int:
        """Number of workers: 1."""
        return 1

    def barrier(self) -> None:
        """Wait until all workers reach this call."""

    def _barrier(self) -> None:
        self.barrier()

    def _send_command_to_servers(self, head: int, body: Any) -> None:
        """Do nothing, as there are no servers; :meth:`set_optimizer` sets an optimizer."""


def _take_rows(array: NDArray, rows: NDArray) -> NDArray:
    """Return the rows with indices ``rows`` of an array as a row_sparse array."""
    # Sorted and unique, as row_sparse arrays hold them.
    indices = np.unique(rows.asnumpy()).astype(np.int64)
    if len(indices) and not 0 <= indices[0] <= indices[-1] < array.shape[0]:
        raise IndexingError(
            f"row_sparse_pull: row_ids from {indices[0]} to {indices[-1]} of an array {array.shape}"
        )
    return nd.sparse.row_sparse_array((rows_of(array, indices), indices), array.shape)
