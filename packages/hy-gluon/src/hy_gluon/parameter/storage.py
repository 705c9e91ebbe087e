"""ParameterStorage: the arrays of a parameter, also under MXNet's private names."""

from collections.abc import Callable
from typing import Any, TypeAlias
from weakref import ReferenceType, ref

from hy_gluon.parameter.described import Described
from hy_gluon.parameter.errors import StorageError, UninitializedError
from hy_ndarray import Context, NDArray, current_context, dtype_name

__all__ = ["Arrays", "ParameterStorage", "Values", "changed", "presence", "version"]

Arrays: TypeAlias = tuple["Values", list[Context]]
# A list cell: module globals would need `global`, and importers a function anyway.
_changes = [0]
_rests = [0]


def version() -> int:
    """Return a counter that increases whenever any parameter's arrays or gradients change."""
    return _changes[0]


def presence() -> int:
    """Return a counter that also increases when parameters' memory is released.

    Cached arrays of parameters are valid as long as it stays the same.
    """
    return _changes[0] + _rests[0]


def changed() -> None:
    """Increase :func:`version`, as a parameter's arrays or gradients changed."""
    _changes[0] += 1


class Values(list[NDArray]):
    """List of a parameter's arrays that counts replaced ones, as MXFusion replaces arrays."""

    def __setitem__(self, position: Any, array: Any) -> None:
        super().__setitem__(position, array)
        changed()


class ParameterStorage(Described):
    """Arrays of a parameter, one on each of its contexts.

    Programs for MXNet with their own parameter classes, such as GluonNLP's weight dropout, copy
    ``_data``, ``_grad``, ``_ctx_list``, ``_ctx_map`` and ``_trainer`` of another parameter.
    """

    _allocated: Arrays | None = None
    _gather: Callable[[], None] | None = None
    """Function that gathers a released parameter's arrays from the workers, or None."""
    _its_trainer: "ReferenceType[Any] | None" = None

    @property
    def _hy_dtype_name(self) -> str:
        """Name of the dtype of the values; without one, float32 until others are loaded."""
        if self._dtype is not None:
            return dtype_name(self._dtype)
        allocated = self._allocated
        return "float32" if allocated is None else dtype_name(allocated[0][0].dtype)

    @property
    def _uuid(self) -> str:
        """Return a unique id, by which MXNet 2 programs recognise shared parameters."""
        return f"{self.name}-{id(self):x}"

    @property
    def _trainer(self) -> Any:
        """Last trainer created with the parameter, or None if there is no such trainer any more."""
        return None if self._its_trainer is None else self._its_trainer()

    @_trainer.setter
    def _trainer(self, trainer: Any) -> None:
        before = self._its_trainer
        # MXNet: one trainer alone may own the rows of a row_sparse parameter.
        if self._stype != "default" and trainer and before and before() is not trainer:
            raise StorageError(
                f"Failed to set the trainer for Parameter {self.name!r} because it was already "
                "set. More than one trainers for a row_sparse Parameter is not supported."
            )
        self._its_trainer = None if trainer is None else ref(trainer)

    def _release(self, gather: Callable[[], None]) -> None:
        """Drop the arrays until the next use, which calls ``gather`` first."""
        self._gather, self._allocated = gather, None
        _rests[0] += 1

    def _restore(self, allocated: Arrays) -> None:
        """Set arrays that were removed by a release."""
        self._allocated, self._gather = allocated, None

    def _gathered(self) -> Arrays | None:
        """Return arrays and contexts, gathered from the workers if released; None without any."""
        if self._allocated is None and self._gather is not None:
            self._gather()
        return self._allocated

    @property
    def _data(self) -> list[NDArray] | None:
        allocated = self._gathered()
        return None if allocated is None else allocated[0]

    @_data.setter
    def _data(self, arrays: list[NDArray] | None) -> None:
        values = None if arrays is None else Values(arrays)
        self._gather = None
        self._allocated = None if values is None else (values, [array.context for array in values])
        changed()

    @property
    def _grad(self) -> list[NDArray | None] | None:
        gradients = [array.grad for array in self._data or ()]
        return gradients if any(gradient is not None for gradient in gradients) else None

    @_grad.setter
    def _grad(self, gradients: list[NDArray | None] | None) -> None:
        """Ignore the assignment: each array holds its own gradient."""

    @property
    def _ctx_list(self) -> list[Context] | None:
        allocated = self._gathered()
        return None if allocated is None else allocated[1]

    @_ctx_list.setter
    def _ctx_list(self, contexts: list[Context] | None) -> None:
        """Ignore the assignment: each array has its context."""

    @property
    def _ctx_map(self) -> list[list[int | None]] | None:
        """Return the positions of the arrays by device number, for CPUs and for GPUs."""
        contexts = self._ctx_list
        if contexts is None:
            return None
        index_map: list[list[int | None]] = [[], []]
        for position, context in enumerate(contexts):
            kind, number = _device(context)
            # MXNet's layout: row 0 for CPUs, row 1 for GPUs, indexed by device number.
            row = index_map[kind]
            row += [None] * (number + 1 - len(row))
            row[number] = position
        return index_map

    @_ctx_map.setter
    def _ctx_map(self, positions: list[list[int | None]] | None) -> None:
        """Ignore the assignment: positions follow from the contexts."""

    def _present(self) -> Arrays:
        allocated = self._gathered()
        if allocated is None:
            raise UninitializedError(f"parameter {self.name!r} has not been initialized")
        return allocated

    def _check_and_get(self, arrays: list[NDArray] | None, ctx: Context | None) -> Any:
        """Return the value or gradient on a context; ``arrays`` selects which of them."""
        if arrays is None:
            self._present()
        return self._on(ctx) if arrays is self._data else self._on(ctx).grad

    def _on(self, ctx: Context | None) -> NDArray:
        arrays, contexts = self._allocated or self._present()
        # The usual case, one context, without a search.
        if len(arrays) == 1 and (ctx is None or ctx is contexts[0]):
            return arrays[0]
        wanted = current_context() if ctx is None else ctx
        for array, context in zip(arrays, contexts, strict=True):
            if context == wanted:
                return array
        # cpu_pinned and cpu_shared are the same memory as cpu.
        for array, context in zip(arrays, contexts, strict=True):
            if _device(context) == _device(wanted):
                return array
        raise UninitializedError(
            f"Parameter {self.name!r} was not initialized on context {wanted}. It was only "
            f"initialized on {contexts}; use reset_ctx or initialize it there"
        )


def _device(context: Context) -> tuple[int, int]:
    """Return a key that is equal for contexts of one device, such as pinned and plain CPU."""
    return context.device_typeid & 1, context.device_id
