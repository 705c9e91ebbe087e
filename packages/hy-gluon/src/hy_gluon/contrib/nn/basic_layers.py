"""More layers: parallel branches, pixel shuffling, synchronized batch normalization."""

import warnings
from typing import Any

from hy_gluon.block import Block, HybridBlock
from hy_gluon.nn import BatchNorm, HybridSequential, Sequential
from hy_gluon.nn._arguments import Init, Sizes, sizes
from hy_gluon.parameter import ParameterDict
from hy_ndarray import nd, num_gpus

__all__ = [
    "Concurrent",
    "HybridConcurrent",
    "Identity",
    "PixelShuffle1D",
    "PixelShuffle2D",
    "PixelShuffle3D",
    "SparseEmbedding",
    "SyncBatchNorm",
]


class Concurrent(Sequential):
    """Runs all its blocks on the same input, and joins their outputs.

    Args:
        axis: The axis along which outputs are joined.
        prefix: Put in front of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> branches = Concurrent()
        >>> branches.add(Identity(), Identity())
        >>> branches(nd.array([[1, 2]])).asnumpy()
        array([[1., 2., 1., 2.]], dtype=float32)
    """

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def _part(self, layers: list[Block]) -> "Concurrent":
        part = type(self)(axis=self.axis, prefix=self._prefix)
        part.add(*layers)
        return part

    def forward(self, x: Any) -> Any:
        """Run all blocks on ``x``, and join."""
        return nd.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class HybridConcurrent(HybridSequential):
    """Runs all its hybrid blocks on the same input, and joins their outputs.

    Args:
        axis: The axis along which outputs are joined.
        prefix: Put in front of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> branches = HybridConcurrent()
        >>> branches.add(Identity(), Identity())
        >>> branches(nd.array([[1, 2]])).asnumpy()
        array([[1., 2., 1., 2.]], dtype=float32)
    """

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def _part(self, layers: list[Block]) -> "HybridConcurrent":
        part = type(self)(axis=self.axis, prefix=self._prefix)
        part.add(*layers)
        return part

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Run all blocks on ``x``, and join."""
        return F.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class Identity(HybridBlock):
    """Returns its input, for a branch that does nothing."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        """``x``."""
        return x


class SparseEmbedding(Block):
    """Turns each index into a learned vector.

    The table and its gradient are row sparse: a step reads and changes only the rows looked up.

    Args:
        input_dim: How many indices there are.
        output_dim: Size of the vectors.
        dtype: Dtype of the vectors.
        weight_initializer: Initializer of the table, ``[input_dim, output_dim]``.

    Example:
        >>> layer = SparseEmbedding(10, 4)
        >>> layer.initialize()
        >>> layer(nd.array([[1, 2, 3]])).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": True,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            stype="row_sparse",
            grad_stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Look up the indices ``x``."""
        return nd.Embedding(x, self.weight.row_sparse_data(x), name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        content = "{input_dim} -> {output_dim}, {dtype}".format(**self._kwargs)
        return f"{type(self).__name__}({content})"


class SyncBatchNorm(BatchNorm):
    """A :class:`BatchNorm` whose statistics are those of the batches of several devices.

    Args:
        in_channels: Number of channels; 0 for what the first input has.
        num_devices: How many devices take part; all GPUs of the machine if None.
        momentum: How much of the running statistics stays in each training step.
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        use_global_stats: Use the running statistics in training too.
        beta_initializer: Initializer of the shift.
        gamma_initializer: Initializer of the scale.
        running_mean_initializer: Initializer of the running mean.
        running_variance_initializer: Initializer of the running variance.

    Source:
        Zhang et al., Context Encoding for Semantic Segmentation, arXiv:1803.08904.
    """

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        running_mean_initializer: Init = "zeros",
        running_variance_initializer: Init = "ones",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )
        del self._kwargs["axis"]
        self._kwargs |= {"ndev": _devices(num_devices), "key": self.prefix}

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Normalize ``x``."""
        return F.contrib.SyncBatchNorm(
            x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs
        )


def _devices(count: int | None) -> int:
    if count is not None:
        return count
    warnings.warn(
        "SyncBatchNorm takes all GPUs of the machine; give num_devices if fewer train",
        stacklevel=3,
    )
    return max(num_gpus(), 1)


class PixelShuffle1D(HybridBlock):
    """Turns channels into positions: ``[N, f C, W]`` becomes ``[N, C, W f]``.

    Args:
        factor: ``f``.

    Source:
        Shi et al., arXiv:1609.05158.

    Example:
        >>> PixelShuffle1D(2)(nd.array([[[1, 2], [3, 4]]])).asnumpy()
        array([[[1., 3., 2., 4.]]], dtype=float32)
    """

    def __init__(self, factor: int) -> None:
        super().__init__()
        self._factor = int(factor)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Shuffle ``x``."""
        x = F.reshape(x, shape=(0, -4, -1, self._factor, 0))
        x = F.transpose(x, axes=(0, 1, 3, 2))
        return F.reshape(x, shape=(0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factor})"


class PixelShuffle2D(HybridBlock):
    """Turns channels into positions: ``[N, f g C, H, W]`` becomes ``[N, C, H f, W g]``.

    Args:
        factor: ``f`` and ``g``; or one int for both.

    Raises:
        LayerError: There are not two.

    Source:
        Shi et al., arXiv:1609.05158.

    Example:
        >>> PixelShuffle2D((2, 3))(nd.ones((1, 12, 3, 5))).shape
        (1, 2, 6, 15)
    """

    def __init__(self, factor: Sizes) -> None:
        super().__init__()
        self._factors = sizes(factor, 2, "factor")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Shuffle ``x``."""
        f1, f2 = self._factors
        x = F.reshape(x, shape=(0, -4, -1, f1 * f2, 0, 0))
        x = F.reshape(x, shape=(0, 0, -4, f1, f2, 0, 0))
        x = F.transpose(x, axes=(0, 1, 4, 2, 5, 3))
        return F.reshape(x, shape=(0, 0, -3, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"


class PixelShuffle3D(HybridBlock):
    """Turns channels into positions: ``[N, f g h C, D, H, W]`` becomes ``[N, C, D f, H g, W h]``.

    Args:
        factor: ``f``, ``g`` and ``h``; or one int for all.

    Raises:
        LayerError: There are not three.

    Source:
        Shi et al., arXiv:1609.05158.

    Example:
        >>> PixelShuffle3D((2, 3, 4))(nd.ones((1, 48, 3, 5, 7))).shape
        (1, 2, 6, 15, 28)
    """

    def __init__(self, factor: Sizes) -> None:
        super().__init__()
        self._factors = sizes(factor, 3, "factor")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Shuffle ``x``: each factor in turn is moved behind its axis, and joined with it."""
        f1, f2, f3 = self._factors
        x = F.reshape(x, shape=(0, -4, -1, f1 * f2 * f3, 0, 0, 0))
        x = F.swapaxes(x, dim1=2, dim2=3)
        x = F.reshape(x, shape=(0, 0, 0, -4, f1, f2 * f3, 0, 0))
        x = F.reshape(x, shape=(0, 0, -3, 0, 0, 0))
        x = F.swapaxes(x, dim1=3, dim2=4)
        x = F.reshape(x, shape=(0, 0, 0, 0, -4, f2, f3, 0))
        x = F.reshape(x, shape=(0, 0, 0, -3, 0, 0))
        x = F.swapaxes(x, dim1=4, dim2=5)
        return F.reshape(x, shape=(0, 0, 0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"
