"""``mx.th``, functions of Torch 7 on MXNet's arrays: empty, as in MXNet's published packages."""

from typing import NoReturn

__all__: list[str] = []


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"module 'mxnet.torch' has no attribute {name!r}: it held functions of Lua's Torch 7; "
        "arrays are handed to PyTorch and back by DLPack: torch.from_dlpack(array), "
        "mx.nd.from_dlpack(tensor)"
    )
