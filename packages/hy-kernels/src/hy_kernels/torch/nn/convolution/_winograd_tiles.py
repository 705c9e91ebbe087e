"""Tiles of Winograd's F(4x4, 3x3): transform matrices, and writing of result tiles to images."""

from collections.abc import Iterator, Mapping

import numpy as np
import torch

from hy_kernels.torch._constants import on_device
from hy_kernels.torch._tensor import Tensor
from hy_kernels.winograd import TILES

_TILE = TILES["winograd4"]
SIDE, SPAN = _TILE.size, _TILE.size + 2
PLANES = SPAN**2
BIASED = SPAN + 1
"""The plane that a bias is added to: it contributes once to every result of its tile."""


@on_device
def matrices(dtype: torch.dtype, device: torch.device) -> Mapping[str, Tensor]:
    """Return the transform matrices; ``"both"`` transforms results along both axes at once."""
    arrays = {
        "elements": _TILE.elements,
        "kernel": _TILE.kernel,
        "results": _TILE.results,
        "both": np.kron(_TILE.results, _TILE.results),
    }
    return {name: torch.tensor(x, dtype=dtype, device=device) for name, x in arrays.items()}


def write_tiles(tiles: Tensor, addend: Tensor | None, with_relu: bool, out: Tensor) -> None:
    """Write result tiles ``[n, down, 4, across, 4, O]``, plus addend and ReLU, to images ``out``.

    The last tiles are cropped.
    """
    for rows, down, tile_rows in _whole_and_rest(out.shape[1]):
        for columns, across, tile_columns in _whole_and_rest(out.shape[2]):
            own = (
                out[:, rows, columns].unflatten(1, (-1, tile_rows)).unflatten(3, (-1, tile_columns))
            )
            part = tiles[:, down, :tile_rows, across, :tile_columns]
            if addend is not None:
                more = addend[:, rows, columns].reshape(own.shape)
                torch.add(part, more, out=own)
                if with_relu:
                    own.relu_()
            elif with_relu:
                # clamp_min takes out=, relu does not.
                torch.clamp_min(part, 0, out=own)
            else:
                own.copy_(part)


def _whole_and_rest(size: int) -> Iterator[tuple[slice, slice, int]]:
    """Yield an axis' full tiles, then its partial one: slices of elements and tiles, and size."""
    whole, rest = divmod(size, SIDE)
    if whole:
        yield slice(0, whole * SIDE), slice(0, whole), SIDE
    if rest:
        yield slice(whole * SIDE, size), slice(whole, whole + 1), rest
