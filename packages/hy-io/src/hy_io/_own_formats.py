"""File formats that hy-io itself provides, in the order of detection."""

import re
from typing import Any

from hy_io._expecting import expecting
from hy_io._format import Contents, Copy, Format
from hy_io._limits import expansion_limit
from hy_io._mxnet2 import save_mxnet2
from hy_io._ndarray_format import LIST_MAGIC
from hy_io._ndarray_reader import load_list
from hy_io.ndarray_file import open_ndarrays
from hy_io.ndarray_list import save_ndarrays
from hy_io.npz import load_npz, save_npz
from hy_io.safetensors import load_safetensors, save_safetensors
from hy_io.safetensors_file import open_safetensors
from hy_io.torch_file import load_torch, save_torch

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
# A local header has 30 bytes, the name follows: ``folder/data.pkl`` at byte 30. PyTorch writes it
# first.
_PICKLE = re.compile(rb"PK\x03\x04.{26}[^/]{1,255}/data\.pkl", re.DOTALL)
"""Local header of the first member of a PyTorch archive."""
_TORCH = (".pt", ".pth")
_LIST = LIST_MAGIC.to_bytes(8, "little")


def _load_params(path: str, *, copy: Copy, dense: bool, max_expansion: int | None) -> Contents:
    with expecting("params", path):
        arrays, np_shape = load_list(path, copy, dense, expansion_limit(max_expansion))
        return Contents(arrays, np_shape=np_shape)


def _save_params(path: str, contents: Contents) -> None:
    arrays: Any = contents.arrays
    save_ndarrays(path, arrays, np_shape=contents.np_shape)


def _load_safetensors(path: str, *, copy: Copy, **_: object) -> Contents:
    loaded = load_safetensors(path, copy=copy)
    return Contents(loaded.arrays, loaded.symbol, loaded.np_shape, loaded.metadata)


def _save_safetensors(path: str, contents: Contents) -> None:
    arrays: Any = contents.arrays
    save_safetensors(
        path,
        arrays,
        symbol=contents.symbol,
        np_shape=contents.np_shape,
        metadata=contents.metadata,
    )


def _load_torch(path: str, *, copy: Copy, max_expansion: int | None, **_: object) -> Contents:
    return Contents(load_torch(path, copy=copy, max_expansion=max_expansion))


def _save_torch(path: str, contents: Contents) -> None:
    arrays: Any = contents.arrays
    save_torch(path, arrays)


def _load_npz(path: str, *, copy: Copy, max_expansion: int | None, **_: object) -> Contents:
    return Contents(load_npz(path, copy=copy is not False, max_expansion=max_expansion))


def _save_npz(path: str, contents: Contents) -> None:
    arrays: Any = contents.arrays
    save_npz(path, arrays if hasattr(arrays, "items") else enumerate(arrays))


OWN = (
    # PyTorch before npz: both are ZIP archives.
    Format(
        "torch",
        suffixes=_TORCH,
        matches=lambda head, suffix: (
            head[:4] == _ZIP and (suffix in _TORCH or _PICKLE.match(head) is not None)
        ),
        load=_load_torch,
        save=_save_torch,
        has_lists=False,
        names="torch",
    ),
    Format(
        "states",
        suffixes=(".states",),
        # The same magic as params; only the ending tells states apart.
        matches=lambda head, suffix: head[:8] == _LIST and suffix == ".states",
        load=_load_params,
        open=open_ndarrays,
    ),
    Format(
        "params",
        suffixes=(".params", ".nd"),
        matches=lambda head, _: head[:8] == _LIST,
        load=_load_params,
        save=_save_params,
        open=open_ndarrays,
        has_sparse=True,
    ),
    # The magic of a record, 0xCED7230A, in little-endian order.
    Format("records", suffixes=(".rec",), matches=lambda head, _: head[:4] == b"\x0a\x23\xd7\xce"),
    Format(
        "npz",
        suffixes=(".npz",),
        matches=lambda head, _: head[:4] in (_ZIP, _EMPTY_ZIP),
        load=_load_npz,
        save=_save_npz,
    ),
    # Read as npz; asked for by name.
    Format("mxnet2", suffixes=(), matches=lambda *_: False, save=save_mxnet2),
    Format(
        "npy", suffixes=(".npy",), matches=lambda head, _: head[:6] == b"\x93NUMPY", load=_load_npz
    ),
    Format(
        "safetensors",
        suffixes=(".safetensors",),
        # Byte 8, after the length of the header in 8 bytes, opens its JSON object; there is no
        # magic.
        matches=lambda head, _: head[8:9] == b"{",
        load=_load_safetensors,
        save=_save_safetensors,
        open=open_safetensors,
        has_graph=True,
    ),
)
"""In order of detection: the first format that matches a file is taken."""
