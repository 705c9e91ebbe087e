"""Triton kernels as differentiable functions of PyTorch, usable without hy.

Each is an operator of torch's library, so that ``torch.autograd`` and ``torch.compile`` treat it as
one operator. Tensors must be on a CUDA device, or on the CPU with ``TRITON_INTERPRET=1``.
"""

from hy_kernels.triton.functional._attention import attention as attention
from hy_kernels.triton.functional._dropout import dropout as dropout
from hy_kernels.triton.functional._embedding import embedding as embedding
from hy_kernels.triton.functional._linear import linear as linear
from hy_kernels.triton.functional._norm import layer_norm as layer_norm, rms_norm as rms_norm
from hy_kernels.triton.functional._softmax import cross_entropy as cross_entropy, softmax as softmax

__all__ = [
    "attention",
    "cross_entropy",
    "dropout",
    "embedding",
    "layer_norm",
    "linear",
    "rms_norm",
    "softmax",
]
