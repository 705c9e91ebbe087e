"""Operators on the stored elements of sparse arrays; all other operators get dense copies."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from hy_ndarray.array.ndarray import NDArray, array_from, storage_class
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import record_call
from hy_ndarray.core._scopes import pause
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._index_checks import CheckedTable, check_indices_of
from hy_ndarray.devices._protocols import Params
from hy_ndarray.devices._selection import device_of
from hy_ndarray.ops import Operator
from hy_ndarray.sparse import _kernels
from hy_ndarray.sparse._sparse_device import sparse_device_of
from hy_ndarray.sparse._storage import CSRStorage, RowSparseStorage, Storage
from hy_ndarray.sparse._updates import updated_by_rows
from hy_ndarray.sparse.refusals import check_storage
from hy_ndarray.sparse.rows import rows_of

Rule: TypeAlias = Callable[[Operator, Sequence[Any], Params], Any]
R = TypeVar("R", bound=Rule)
_RULES: dict[str, Rule] = {}


def compute(
    op: Operator, inputs: Sequence[Any], params: Params, is_train: bool | None, out: Any
) -> Any:
    """Run ``op`` on operands of which some are sparse, and record the call."""
    other = next((x for x in inputs if x is not None and not isinstance(x, NDArray)), None)
    # Operands of other kinds, such as symbols, decide by themselves what the call means.
    if hasattr(type(other), "apply_operator"):
        assert other is not None
        return type(other).apply_operator(op, inputs, params, is_train, out)
    check_storage(op, inputs, params)
    with pause():
        result = updated_by_rows(op, inputs, params, out)
    if result is not None and result is out:
        return out
    rule = _RULES.get(op.name)
    if rule is not None and all(isinstance(x, NDArray) for x in inputs):
        if inputs and isinstance(device_of(inputs[0].context).table, CheckedTable):
            check_indices_of(op.kernel, inputs, params, _host)
        training = _state.scope.training if is_train is None else is_train
        # The call is recorded below as one step, not the operators that the rule calls.
        with pause(training):
            result = rule(op, inputs, params)
        if result is not None and _state.scope.recording:
            results = result if isinstance(result, list) else (result,)
            record_call(op, inputs, params, results, training)
    if result is None:
        result = _with_dense_copies(op, inputs, params, is_train)
    return result if out is None else _dispatch.store(result, out)


def _with_dense_copies(
    op: Operator, inputs: Sequence[Any], params: Params, is_train: bool | None
) -> Any:
    dense = [x.tostype("default") if _is_sparse(x) else x for x in inputs]
    if op.name == "FullyConnected" and dense[2] is not None and dense[2].shape[1:] == (1,):
        dense[2] = dense[2].reshape((-1,))  # a row_sparse bias may have shape (n, 1)
    result = _dispatch.invoke(op, dense, params, is_train=is_train, kind=NDArray)
    training = _state.scope.training if is_train is None else is_train
    # Inputs that the operator overwrites are dense copies so far.
    for i in op.updated(params, training):
        if _is_sparse(inputs[i]):
            inputs[i]._write(dense[i])
    wanted = params.get("forward_stype")  # a parameter of dot
    return result if wanted is None else result.tostype(wanted)


def add_rule(rule: Rule, *names: str) -> None:
    """Register ``rule`` to run the named operators when an operand is sparse.

    Args:
        rule: Function of operator, inputs and parameters that returns the result, a list of
            results, or None if it does not support the call.
        names: MXNet's names of the operators.
    """
    _RULES.update(dict.fromkeys(names, rule))


def _rule(*names: str) -> Callable[[R], R]:
    def add(function: R) -> R:
        add_rule(function, *names)
        return function

    return add


def _is_sparse(x: Any) -> bool:
    return isinstance(x, NDArray) and not x._dense


def _kinds(inputs: Sequence[Any]) -> list[str]:
    return [x.stype for x in inputs]


def _array_of(storage: Storage, context: Context) -> NDArray:
    return storage_class(storage.stype).from_buffer(storage, sparse_device_of(context))


def _host(x: NDArray) -> npt.NDArray[Any]:
    """Return an array's values as a numpy array, read-only; a view if the array is on the CPU."""
    return x._device.memory.to_numpy(x._data)


def _on_values(op: Operator, values: npt.NDArray[Any], params: Params) -> npt.NDArray[Any]:
    """Apply a pointwise operator to an array of stored values."""
    result: NDArray = _dispatch.invoke(op, (array_from(values, Context("cpu")),), params)
    return result.asnumpy()


@_rule(
    *("_copy", "BlockGrad", "make_loss", "abs", "sign", "square", "sqrt", "cbrt", "relu"),
    *("negative", "ceil", "floor", "trunc", "rint", "round", "fix", "degrees", "radians"),
    *("sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "expm1", "log1p"),
    *("clip", "_mul_scalar", "_div_scalar", "_plus_scalar", "_minus_scalar"),
    *("_equal_scalar", "_not_equal_scalar", "_greater_scalar", "_greater_equal_scalar"),
    *("_lesser_scalar", "_lesser_equal_scalar"),
)
def _pointwise(op: Operator, inputs: Sequence[Any], params: Params) -> Any:
    """Apply a pointwise operator to the stored values if it maps 0 to 0; keep the storage type."""
    (x,) = inputs
    stored: Storage = x._data
    # Computed, as it may depend on the parameters: x + 0 maps 0 to 0.
    if _on_values(op, np.zeros(1, stored.dtype), params)[0] != 0:
        return None
    data = _on_values(op, stored.data, params) if stored.data.size else stored.data
    return _array_of(stored.with_data(data), x.context)


@_rule("_contrib_quadratic")
def _quadratic(op: Operator, inputs: Sequence[Any], params: Params) -> Any:
    """Apply ``quadratic`` to a csr matrix if its constant term is 0."""
    return _pointwise(op, inputs, params) if inputs[0].stype == "csr" else None


@_rule("cast_storage")
def _cast_storage(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    (x,) = inputs
    return x.tostype(params["stype"])


@_rule("_sparse_retain")
def _retain(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    x, indices = inputs
    return _array_of(_kernels.retained(x._data, _host(indices).astype(np.int64)), x.context)


@_rule("zeros_like")
def _zeros_like(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    (x,) = inputs
    return _array_of(_kernels.zeros(x.stype, x.shape, x._data.dtype), x.context)


_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "elemwise_add": np.add,
    "elemwise_sub": np.subtract,
    "elemwise_mul": np.multiply,
    "_npi_add": np.add,
}


@_rule(*_FUNCTIONS)
def _both_stored(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    """Apply a binary operator to arrays of one storage type, or multiply by a dense array."""
    a, b = inputs
    if a.shape != b.shape or a.dtype != b.dtype:
        return None
    if a.stype == b.stype:
        return _array_of(_kernels.combine(_FUNCTIONS[op.name], a._data, b._data), a.context)
    if op.name == "elemwise_mul" and "default" in _kinds(inputs):
        sparse, dense = (a, b) if b.stype == "default" else (b, a)
        stored: Storage = sparse._data
        whole = _host(dense)
        factors = (
            whole[stored.rows, stored.indices]
            if isinstance(stored, CSRStorage)
            else whole[stored.indices]
        )
        return _array_of(stored.with_data(stored.data * factors), sparse.context)
    return None


@_rule("broadcast_mul", "broadcast_div")
def _broadcast(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    """Multiply or divide a csr matrix by a dense array that broadcasts; the result is csr."""
    a, b = inputs
    if _kinds(inputs) != ["csr", "default"] or a.dtype != b.dtype:
        return None
    if np.dtype(a.dtype).kind != "f" or b.ndim > a.ndim:
        return None
    if any(n not in (1, m) for n, m in zip(b.shape[::-1], a.shape[::-1], strict=False)):
        return None
    stored: CSRStorage = a._data
    factors = np.broadcast_to(_host(b), a.shape)[stored.rows, stored.indices]
    function = np.multiply if op.name == "broadcast_mul" else np.divide
    with np.errstate(all="ignore"):
        return _array_of(stored.with_data(function(stored.data, factors)), a.context)


@_rule("_scatter_plus_scalar", "_scatter_minus_scalar", "_scatter_elemwise_div")
def _stored_alone(op: Operator, inputs: Sequence[Any], params: Params) -> Any:
    """Apply an operator to the stored values only, even if it does not map 0 to 0."""
    x, *others = inputs
    stored: Storage = x._data
    if x.stype == "default" or any(x.stype == "csr" or y.shape != x.shape for y in others):
        return None
    at = (stored.rows, stored.indices) if isinstance(stored, CSRStorage) else stored.indices
    values = [stored.data, *[_host(y)[at] for y in others]]
    arrays = [array_from(value, Context("cpu")) for value in values]
    result: NDArray = _dispatch.invoke(op, arrays, params)
    return _array_of(stored.with_data(result.asnumpy()), x.context)


@_rule("_square_sum")
def _square_sum(op: Operator, inputs: Sequence[Any], params: Params) -> Any:
    """Return the sum of squares of each stored row of a row_sparse matrix."""
    (x,) = inputs
    if x.stype != "row_sparse" or x.ndim != 2 or not params["keepdims"]:  # noqa: PLR2004
        return None
    # Other sums mix rows, so that their results are not row_sparse.
    if params["axis"] not in (1, -1, (1,), (-1,)) or params.get("exclude"):
        return None
    stored: RowSparseStorage = x._data
    sums = _on_values(op, stored.data, params)
    return _array_of(RowSparseStorage(sums, stored.indices, (x.shape[0], 1)), x.context)


@_rule("add_n")
def _add_n(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    same = {(x.stype, x.shape, x.dtype) for x in inputs}
    if len(same) > 1 or inputs[0].stype != "row_sparse":
        return None
    total: Storage = inputs[0]._data
    for x in inputs[1:]:
        total = _kernels.combine(np.add, total, x._data)
    return _array_of(total, inputs[0].context)


@_rule("slice")
def _slice(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    (x,) = inputs
    begin, end, step = params["begin"], params["end"], params.get("step") or ()
    if x.stype != "csr" or len(begin) > x.ndim or len(begin) != len(end):
        return None
    if any(s not in (None, 1) for s in step):
        return None
    bounds = [slice(b, e).indices(n)[:2] for b, e, n in zip(begin, end, x.shape, strict=False)]
    if any(b >= e for b, e in bounds):
        return None
    (top, bottom), (left, right) = [*bounds, (0, x.shape[1])][:2]
    return _array_of(_kernels.sliced(x._data, top, bottom, left, right), x.context)


@_rule("take")
def _take(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    x, indices = inputs
    if _kinds(inputs) != ["csr", "default"] or params["axis"] != 0 or indices.ndim != 1:
        return None
    size = x.shape[0]
    rows = _host(indices).astype(np.int64)
    if not size or params["mode"] not in ("clip", "wrap"):
        return None
    rows = rows.clip(0, size - 1) if params["mode"] == "clip" else rows % size
    return _array_of(_kernels.taken(x._data, rows), x.context)


@_rule("_take_backward")
def _rows_taken(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    """Return the gradient of ``take`` as row_sparse, summed over repeated rows."""
    dy, weight, indices = inputs
    if not params["sparse_grad"]:
        return None
    # Clipped as the forward pass clips them: gradients go to the rows that were read.
    rows_read = _host(indices).astype(np.int64).ravel().clip(0, weight.shape[0] - 1)
    rows = _host(dy).reshape(rows_read.size, *weight.shape[1:])
    return _array_of(_kernels.summed_rows(rows, rows_read, weight.shape), weight.context)


@_rule("Embedding", "_contrib_SparseEmbedding")
def _embedding(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    """Look up rows of a row_sparse weight."""
    data, weight = inputs
    if weight.stype != "row_sparse" or weight.shape != (params["input_dim"], params["output_dim"]):
        return None
    rows_read = _host(data).astype(np.int64)
    rows = rows_of(weight, rows_read.ravel().clip(0, weight.shape[0] - 1))
    return rows.reshape(*rows_read.shape, weight.shape[1])


@_rule("Concat")
def _concat(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    same = {(x.stype, x.shape[1:], x.dtype) for x in inputs}
    if params["dim"] != 0 or len(same) > 1 or inputs[0].stype != "csr":
        return None
    return _array_of(_kernels.joined([x._data for x in inputs]), inputs[0].context)


@_rule("dot")
def _dot(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    """Return the product with a csr matrix, as a dense, row_sparse or csr array."""
    lhs, rhs = inputs
    wanted = params.get("forward_stype")
    if lhs.dtype != rhs.dtype or lhs.ndim != 2:  # noqa: PLR2004  # a matrix
        return None
    if lhs.stype == "default":
        return _dense_by_csr(lhs, rhs, params) if wanted in (None, "csr") else None
    if lhs.stype != "csr" or rhs.stype == "csr" or params["transpose_b"]:
        return None
    transposed = bool(params["transpose_a"])
    if rhs.ndim not in (1, 2) or lhs.shape[0 if transposed else 1] != rhs.shape[0]:
        return None
    result = _by_rows(lhs, _host(rhs), transposed)
    stype = wanted or ("row_sparse" if transposed else "default")
    if isinstance(result, np.ndarray):
        dense = array_from(result, lhs.context)
        return dense if stype == "default" else dense.tostype(stype)
    product = _array_of(result, lhs.context)
    return product if stype == product.stype else product.tostype("default").tostype(stype)


def _by_rows(lhs: NDArray, b: npt.NDArray[Any], transposed: bool) -> Any:
    a, together = lhs._data, lhs._device.together
    matrix = b.reshape(len(b), -1)
    if not transposed:
        return _kernels.product(a, matrix, together).reshape(a.shape[0], *b.shape[1:])
    product = _kernels.transposed_product(a, matrix, together)
    data = product.data.reshape(len(product.data), *b.shape[1:])
    return type(product)(data, product.indices, (a.shape[1], *b.shape[1:]))


def _dense_by_csr(lhs: Any, rhs: Any, params: Params) -> Any:
    if rhs.stype != "csr" or params["transpose_a"]:
        return None
    across = bool(params["transpose_b"])
    if lhs.shape[1] != rhs.shape[1 if across else 0]:
        return None
    # Computed as (rhsᵀ · lhsᵀ)ᵀ: the kernels take the csr matrix first.
    lhs_t = np.ascontiguousarray(_host(lhs).T)
    a, together = rhs._data, rhs._device.together
    if across:
        whole = _kernels.product(a, lhs_t, together)
    else:
        whole = _kernels.transposed_product(a, lhs_t, together).dense()
    return _array_of(CSRStorage.of(whole.T), rhs.context)


@_rule("_dot_backward_rhs")
def _dot_gradient(op: Operator, inputs: Sequence[Any], params: Params) -> Any:  # noqa: ARG001
    """Return the gradient of ``dot(csr, dense)`` to the dense operand, as row_sparse."""
    dy, lhs, rhs = inputs
    if lhs.stype != "csr" or params["transpose_b"] or rhs.ndim not in (1, 2):
        return None
    result = _by_rows(lhs, _host(dy), not params["transpose_a"])
    if isinstance(result, np.ndarray):
        return array_from(result, lhs.context)
    return _array_of(result, lhs.context)
