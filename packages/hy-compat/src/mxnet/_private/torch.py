"""Private functions of ``mxnet.torch``, MXNet's interface to Lua's Torch 7."""

from mxnet._private.absent import Absent

_INSTEAD = (
    "it called functions of Lua's Torch 7; arrays are handed to PyTorch and back by DLPack: "
    "torch.from_dlpack(array), mx.nd.from_dlpack(tensor)"
)
_make_torch_function = Absent("_make_torch_function", _INSTEAD)


def _init_torch_module() -> None:
    """Do nothing: there are no functions of Torch 7, as in MXNet's published packages."""
