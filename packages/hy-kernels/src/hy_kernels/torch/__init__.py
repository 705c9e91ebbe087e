"""The torch table: kernels over torch tensors, on CPUs and GPUs; needs the extra ``torch``."""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ImportError("PyTorch is not installed; `pip install 'hy-kernels[torch]'`", name="torch")

from hy_kernels.torch._table import TorchTable as TorchTable, table as table
