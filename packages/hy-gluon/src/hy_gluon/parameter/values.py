"""ParameterValues: access to a parameter's values and gradients."""

from typing import Any, TypeAlias

from hy_gluon.parameter.arrays import gradient_of, shown
from hy_gluon.parameter.errors import (
    DeferredInitializationError,
    StorageError,
    UninitializedError,
)
from hy_gluon.parameter.storage import Arrays, ParameterStorage
from hy_ndarray import AutogradError, Context, NDArray, autograd, cpu, is_np_array, nd
from hy_ndarray.devices.device_argument import all_take_device
from hy_symbol import current_trace, setup_lock

__all__ = ["ParameterValues"]

_Waiting: TypeAlias = tuple[Any, list[Context], Any, NDArray | None]


@all_take_device
class ParameterValues(ParameterStorage):
    """A parameter with values, or with a deferred initialization."""

    _is_np = False
    """Whether arrays are returned as ``mx.np.ndarray``, as they were created under ``set_np``."""
    _deferred_init: _Waiting | tuple[()] = ()
    """Initializer, contexts, default initializer and values, if deferred; else empty."""
    _grad_req: str

    def _arrays(self) -> list[NDArray]:
        return self._present()[0]

    def _present(self) -> Arrays:
        waiting = self._deferred_init
        # Reading `waiting` first: if it is set and then the arrays appear, both are seen; the
        # reverse order could miss both.
        allocated = self._gathered()
        if allocated is not None:
            return allocated
        if waiting:
            raise DeferredInitializationError(
                f"Parameter {self.name!r} has not been initialized yet because initialization was "
                "deferred until its shape is known. Run a batch through the network first, or "
                "give the layers their input sizes (in_units, in_channels)"
            )
        raise UninitializedError(
            f"Parameter {self.name!r} has not been initialized; call initialize() on the block, "
            "and use block.collect_params(), which includes the children's parameters"
        )

    def data(self, ctx: Context | None = None) -> Any:
        """Return the array on a context; if None, on the only or the current one.

        While a block is traced, the parameter's variable is returned instead.

        Raises:
            UninitializedError: The parameter has no values on this context.
            StorageError: The storage type is not ``"default"``.
        """
        if self._stype != "default":
            raise self._is_sparse("data")
        # Inside a trace a parameter is a variable, so that forward() can use it like an array.
        array: Any = self._on(ctx) if current_trace() is None else self.var()
        return array.as_np_ndarray() if self._is_np or is_np_array() else array

    def list_data(self) -> list[NDArray]:
        """Return the arrays on all contexts.

        Raises:
            StorageError: The storage type is not ``"default"``.
        """
        if self._stype != "default":
            raise self._is_sparse("list_data")
        return [shown(array, self._is_np) for array in self._arrays()]

    def _is_sparse(self, method: str) -> StorageError:
        return StorageError(
            f"Cannot return Parameter {self.name!r} via {method}() because its storage type is "
            f"{self._stype}. Please use row_sparse_data() instead."
        )

    def _require_gradient(self) -> None:
        self._arrays()
        if self._grad_req == "null":
            raise AutogradError(
                f"Cannot get gradient array for Parameter {self.name!r} because grad_req='null'"
            )

    def grad(self, ctx: Context | None = None) -> NDArray:
        """Return the gradient on a context.

        Raises:
            AutogradError: ``grad_req`` is ``"null"``.
            UninitializedError: The parameter has no values on this context.
        """
        self._require_gradient()
        return shown(gradient_of(self._on(ctx)), self._is_np)

    def list_grad(self) -> list[NDArray]:
        """Return the gradients on all contexts."""
        self._require_gradient()
        return [shown(gradient_of(array), self._is_np) for array in self._arrays()]

    def list_ctx(self) -> list[Context]:
        """Return the contexts of the arrays, or of the deferred initialization."""
        waiting = self._deferred_init
        if self._data is None and waiting:
            return list(waiting[1])
        return [array.context for array in self._arrays()]

    list_device = list_ctx  # MXNet 2's name

    def set_data(self, data: NDArray) -> None:
        """Overwrite the values on all contexts in place.

        Raises:
            MismatchError: The shape differs.
            UninitializedError: The parameter has not been initialized.
        """
        self.shape = data.shape
        with setup_lock():
            if self._data is None and self._deferred_init:
                init, contexts, default, _ = self._deferred_init
                # MXNet keeps data for a parameter whose initialization is pending.
                values = data.astype(self._hy_dtype_name)
                self._deferred_init = (init, contexts, default, values)
                return
        # Written in place: programs and captured graphs hold the addresses.
        with autograd.pause():
            for array in self._arrays():
                array[:] = data

    def row_sparse_data(self, row_id: NDArray) -> Any:
        """Return the rows ``row_id`` as a row_sparse array on the context of ``row_id``.

        Args:
            row_id: Row indices, in any order.

        Raises:
            StorageError: The parameter is dense, or has no trainer.
            UninitializedError: The parameter has no values on this context.
        """
        if self._stype != "row_sparse":
            raise StorageError(
                f"Cannot return a copy of Parameter {self.name!r} via row_sparse_data() because "
                f"its storage type is {self._stype}. Please use data() instead."
            )
        if self._its_trainer is None:
            raise StorageError(
                f"Cannot get row_sparse data for Parameter {self.name!r} when no Trainer is "
                "created with it."
            )
        return nd.sparse.retain(self._on(row_id.context), row_id)

    def list_row_sparse_data(self, row_id: NDArray) -> list[Any]:
        """Return the rows ``row_id`` on each context of the parameter.

        Raises:
            StorageError, UninitializedError: See :meth:`row_sparse_data`.
        """
        return [self.row_sparse_data(row_id.as_in_context(c)) for c in self.list_ctx()]

    def zero_grad(self) -> None:
        """Set the gradients to zero, if there are any."""
        if self._grad_req == "null" or self._data is None:
            return
        with autograd.pause():
            for array in self._data:
                gradient_of(array)[:] = 0

    def _reduce(self) -> NDArray:
        """Return the mean of the values over all contexts, on the CPU."""
        arrays = self._arrays()
        with autograd.pause():
            # MXNet saves the mean: copies on several contexts may differ by rounding.
            total = arrays[0].copyto(cpu())
            for array in arrays[1:]:
                total += array.as_in_context(cpu())
            return total if len(arrays) == 1 else total / len(arrays)
