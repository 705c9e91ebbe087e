"""The Triton kernel table: fused kernels on CUDA tensors of torch; needs the extra ``triton``."""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ImportError("PyTorch is not installed; `pip install 'hy-kernels[triton]'`", name="torch")
if find_spec("triton") is None:
    raise ImportError("Triton is not installed; `pip install 'hy-kernels[triton]'`", name="triton")

from hy_kernels.triton._table import TritonTable as TritonTable, table as table
