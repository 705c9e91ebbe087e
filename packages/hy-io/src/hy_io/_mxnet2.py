"""Files as MXNet 2 writes them: an uncompressed ``.npz`` with any suffix."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from hy_io._errors import ArgumentError
from hy_io._format import Contents
from hy_io._ndarray_format import Array
from hy_io.npz import save_npz

_PART = re.compile(
    r"(?P<layer>(?:.*\.)?)_unfused\.(?P<number>\d{1,6})\.(?P<side>[lr]_cell\.)?"
    r"(?P<name>(?:i2h|h2h)_(?:weight|bias)|h2r_weight)"
)
"""Name of a parameter of a recurrent layer in files of MXNet 1.9."""
_ORDER = ("i2h_weight", "h2h_weight", "h2r_weight", "i2h_bias", "h2h_bias")


def save_mxnet2(path: str, contents: Contents) -> None:
    """Write arrays in the format of MXNet 2.

    Args:
        path: The file to create or replace.
        contents: The arrays. Arrays without names are named ``arr_0``, ``arr_1`` and so on.

    Raises:
        ArgumentError: A parameter of a recurrent layer is missing.
    """
    arrays: Any = contents.arrays
    if not isinstance(arrays, Mapping):
        arrays = {f"arr_{i}": array for i, array in enumerate(arrays)}
    save_npz(path, with_vectors(arrays))


def with_vectors(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Join the parameters of each recurrent layer into one vector ``rnn_param``.

    The vector has first the weights of each layer and direction (input, state, projection), then
    the biases in the same order.

    Args:
        arrays: Arrays by structural name.

    Raises:
        ArgumentError: A layer lacks a parameter.

    Example:
        >>> parts = {f"0._unfused.0.{name}": np.ones(2) for name in _ORDER if name[2] != "r"}
        >>> with_vectors(parts)
        {'0.rnn_param': array([1., 1., 1., 1., 1., 1., 1., 1.])}
    """
    vectors: dict[str, Any] = {}
    layers: dict[str, dict[tuple[bool, int, str, int], Array]] = {}
    for name, array in arrays.items():
        part = _PART.fullmatch(name)
        if part is None:
            vectors[name] = array
            continue
        vector = f"{part['layer']}rnn_param"
        vectors.setdefault(vector, None)  # where its first parameter was
        # A sorted key gives MXNet 2's order: weights before biases, then layer, then left before
        # right.
        rank = _ORDER.index(part["name"])
        key = part["name"].endswith("bias"), int(part["number"]), part["side"] or "", rank
        layers.setdefault(vector, {})[key] = np.asarray(array)
    for vector, parts in layers.items():
        _check_complete(vector, parts)
        vectors[vector] = np.concatenate([parts[key].reshape(-1) for key in sorted(parts)])
    return vectors


def _check_complete(vector: str, parts: Mapping[tuple[bool, int, str, int], Array]) -> None:
    """Check that all layers and directions have the same parameters, and that none is missing."""
    names = {rank for _, _, _, rank in parts}
    numbers = {number for _, number, _, _ in parts}
    sides = {side for _, _, side, _ in parts}
    # A complete grid has one parameter for each combination of layer, direction and name.
    whole = len(names) * len(numbers) * len(sides)
    needed = {rank for rank, name in enumerate(_ORDER) if not name.startswith("h2r")}
    if len(parts) != whole or not needed <= names or numbers != set(range(len(numbers))):
        prefix = vector.removesuffix("rnn_param")
        raise ArgumentError(
            f"{vector}: needs all parameters of the layer, which are called "
            f"{prefix}_unfused.<layer>.<name>; there are {len(parts)}, of {len(numbers)} layers"
        )
