"""Private functions of ``mxnet.test_utils``."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import Context, NDArray
from hy_symbol import Symbol
from mxnet._private.errors import CheckError, ShapesError
from mxnet.test_utils.gradients import arrays_by_name
from mxnet.test_utils.sparse_arrays import rand_sparse_ndarray


def _sorted_items(d: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return pairs of keys and values, sorted by key."""
    return sorted(d.items(), key=lambda item: item[0])


def _sorted_dict(d: Mapping[str, Any]) -> "OrderedDict[str, Any]":
    """Return a dictionary sorted by key."""
    return OrderedDict(_sorted_items(d))


def _find_max_violation(
    a: npt.NDArray[Any], b: npt.NDArray[Any], rtol: float, atol: float
) -> tuple[tuple[int, ...], float]:
    """Return the index and value of the largest difference relative to the tolerance."""
    share = np.abs(a - b) / (atol + rtol * np.abs(b) + 1e-20)
    at = np.unravel_index(np.argmax(share), share.shape)
    return tuple(int(i) for i in at), float(share[at])


def _parse_location(
    sym: Symbol, location: Any, ctx: Context, dtype: Any = np.float32
) -> "OrderedDict[str, NDArray]":
    """Return the arguments of a graph by name, as arrays.

    Args:
        sym: The graph.
        location: Arrays by name, or in the order of the arguments.
        ctx: Context of the arrays.
        dtype: Dtype of arguments that are not arrays of ``mx.nd``.

    Raises:
        CheckError: ``location`` is of another type.
        ArgumentError: Names do not match those of the graph.
    """
    if not isinstance(location, dict | list | tuple):
        raise CheckError(f"location is a list or a dict, not {type(location).__name__}")
    arrays = _arrays("location", sym.list_arguments(), location, ctx, dtype)
    return _sorted_dict(arrays)


def _arrays(what: str, names: list[str], arrays: Any, ctx: Context, dtype: Any) -> Any:
    own = isinstance(dtype, str) and dtype == "asis"
    return arrays_by_name(what, names, arrays, ctx, None if own else dtype)


def _parse_aux_states(
    sym: Symbol, aux_states: Any, ctx: Context, dtype: Any = np.float32
) -> dict[str, NDArray] | None:
    """Return the auxiliary states of a graph by name as arrays; None for None.

    Raises:
        ArgumentError: Names do not match those of the graph.
    """
    if aux_states is None:
        return None
    arrays: dict[str, NDArray] = _arrays(
        "aux_states", sym.list_auxiliary_states(), aux_states, ctx, dtype
    )
    return arrays


def _validate_csr_generation_inputs(
    num_rows: int, num_cols: int, density: float, distribution: str = "uniform"
) -> None:
    """Raise an error if arguments of a random CSR matrix are invalid.

    Raises:
        ShapesError: There are no rows or columns, or the density is not from 0 to 1.
    """
    del distribution  # whoever makes the matrix looks at it
    if num_rows <= 0 or num_cols <= 0:
        raise ShapesError(f"num_rows or num_cols should be greater than 0: {num_rows}, {num_cols}")
    if not 0 <= density <= 1:
        raise ShapesError(f"density has to be between 0 and 1, not {density}")


def _get_uniform_dataset_csr(
    num_rows: int,
    num_cols: int,
    density: float = 0.1,
    dtype: Any = None,
    data_init: float | None = None,
    shuffle_csr_indices: bool = False,
) -> Any:
    """Return a random CSR matrix with uniformly placed elements.

    Args:
        num_rows: Number of rows.
        num_cols: Number of columns.
        density: Share of nonzero elements.
        dtype: Dtype of the values.
        data_init: Value of all elements; random if None.
        shuffle_csr_indices: Whether to shuffle the columns of each row.
    """
    _validate_csr_generation_inputs(num_rows, num_cols, density)
    array, _ = rand_sparse_ndarray(
        (num_rows, num_cols),
        "csr",
        density=density,
        dtype=dtype,
        data_init=data_init,
        shuffle_csr_indices=shuffle_csr_indices,
    )
    return array


def _get_powerlaw_dataset_csr(
    num_rows: int, num_cols: int, density: float = 0.1, dtype: Any = None
) -> Any:
    """Return a CSR matrix in which each row has twice as many elements as the previous row.

    Raises:
        ShapesError: Elements are fewer than two per row, or too many for the rows.
    """
    _validate_csr_generation_inputs(num_rows, num_cols, density, "powerlaw")
    # Every row has an element, and the first rows have twice as many each: fewer do not suffice.
    if num_rows * num_cols * density < 2 * num_rows:
        raise ShapesError(
            f"not supported for this density: {density} for this shape ({num_rows}, {num_cols}) "
            "Please keep : num_rows * num_cols * density >= 2 * num_rows"
        )
    array, _ = rand_sparse_ndarray(
        (num_rows, num_cols), "csr", density=density, dtype=dtype, distribution="powerlaw"
    )
    return array
