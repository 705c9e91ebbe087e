"""Batch, layer, group and instance normalization."""

from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Init
from hy_gluon.parameter import Parameter, ParameterDict
from hy_ndarray import dtype_name, num_gpus
from hy_ndarray.warning import warn

__all__ = ["BatchNorm", "BatchNormReLU", "GroupNorm", "InstanceNorm", "LayerNorm", "SyncBatchNorm"]


class _Norm(HybridBlock):
    """Base class of normalizations with a scale ``gamma`` and a shift ``beta``."""

    gamma: Parameter
    beta: Parameter
    _kwargs: dict[str, Any]

    def _hy_vector(self, name: str, size: int, init: Init, *, learned: bool) -> Parameter:
        return self.params.get(
            name,
            grad_req="write" if learned else "null",
            shape=(size,),
            init=init,
            allow_deferred_init=True,
        )

    def __repr__(self) -> str:
        content = ", ".join(f"{key}={value!r}" for key, value in self._hy_shown().items())
        return f"{type(self).__name__}({content})"

    def _hy_shown(self) -> dict[str, Any]:
        """Return the arguments shown in the repr."""
        assert self.gamma.shape is not None
        return self._kwargs | {"in_channels": self.gamma.shape[0]}


class _BatchNorm(_Norm):
    """Base class of batch normalization layers; see the arguments of the subclasses."""

    fuse_relu = False
    """Whether the operator sets what is negative to zero."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        running_mean_initializer: Init = "zeros",
        running_variance_initializer: Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        if in_channels != 0:
            self.in_channels = in_channels
        self.gamma = self._hy_vector("gamma", in_channels, gamma_initializer, learned=scale)
        self.beta = self._hy_vector("beta", in_channels, beta_initializer, learned=center)
        self.running_mean = self._hy_vector(
            "running_mean", in_channels, running_mean_initializer, learned=False
        )
        self.running_var = self._hy_vector(
            "running_var", in_channels, running_variance_initializer, learned=False
        )

    def _hy_vector(self, name: str, size: int, init: Init, *, learned: bool) -> Parameter:
        return self.params.get(
            name,
            grad_req="write" if learned else "null",
            shape=(size,),
            init=init,
            allow_deferred_init=True,
            differentiable=learned,
        )

    def cast(self, dtype: object) -> None:
        """Cast to ``dtype``; with 16-bit data parameters and statistics stay float32."""
        # Sums over a batch in 16 bits would lose digits; the operator takes such data with float32
        # parameters, as cuDNN does.
        super().cast("float32" if dtype_name(dtype) in ("float16", "bfloat16") else dtype)

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Return ``x`` normalized."""
        operator = F.contrib.BatchNormWithReLU if self.fuse_relu else F.BatchNorm
        return operator(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def _hy_shown(self) -> dict[str, Any]:
        shown = super()._hy_shown()
        return shown | {"in_channels": shown["in_channels"] or None}


class BatchNorm(_BatchNorm):
    """Batch normalization of each channel: mean 0, variance 1, then ``gamma`` and ``beta``.

    Training uses the statistics of the batch, and updates the running statistics for prediction.

    Args:
        axis: The axis of the channels.
        momentum: Factor of the old running statistics in each training step.
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        use_global_stats: Use the running statistics also in training.
        beta_initializer: Initializer of the shift.
        gamma_initializer: Initializer of the scale.
        running_mean_initializer: Initializer of the running mean.
        running_variance_initializer: Initializer of the running variance.
        in_channels: Number of channels; 0 to infer it from the first input.

    Source:
        Ioffe, Szegedy, arXiv:1502.03167.

    Example:
        >>> layer = BatchNorm(prefix="norm_")
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
        >>> list(layer.collect_params())
        ['norm_gamma', 'norm_beta', 'norm_running_mean', 'norm_running_var']
    """


class BatchNormReLU(_BatchNorm):
    """:class:`BatchNorm` followed by ReLU, as one operator.

    Args:
        axis: The axis of the channels.
        momentum: Factor of the old running statistics in each training step.
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        use_global_stats: Use the running statistics also in training.
        beta_initializer: Initializer of the shift.
        gamma_initializer: Initializer of the scale.
        running_mean_initializer: Initializer of the running mean.
        running_variance_initializer: Initializer of the running variance.
        in_channels: Number of channels; 0 to infer it from the first input.

    Example:
        >>> layer = BatchNormReLU()
        >>> layer.initialize()
        >>> with autograd.train_mode():
        ...     layer(nd.array([[1], [3]])).asnumpy().round(2)
        array([[0.],
               [1.]], dtype=float32)
    """

    fuse_relu = True


class SyncBatchNorm(BatchNorm):
    """:class:`BatchNorm` with statistics over the batches of several devices.

    Args:
        in_channels: Number of channels; 0 to infer it from the first input.
        num_devices: Number of devices; all GPUs of the machine if None.
        momentum: Factor of the old running statistics in each training step.
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        use_global_stats: Use the running statistics also in training.
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
        # The operator always normalizes axis 1.
        del self._kwargs["axis"]
        # MXNet's operator finds by the key the layers of other devices to wait for.
        self._kwargs |= {"ndev": _devices(num_devices), "key": self.prefix}

    def hybrid_forward(
        self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any
    ) -> Any:
        """Return ``x`` normalized."""
        return F.contrib.SyncBatchNorm(
            x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs
        )


def _devices(count: int | None) -> int:
    if count is not None:
        return count
    warn("SyncBatchNorm takes all GPUs of the machine; give num_devices if fewer train")
    return max(num_gpus(), 1)


class LayerNorm(_Norm):
    """Layer normalization along one axis: mean 0, variance 1, then ``gamma`` and ``beta``.

    Args:
        axis: The axis to normalize along.
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        beta_initializer: Initializer of the shift.
        gamma_initializer: Initializer of the scale.
        in_channels: Size of that axis; 0 to infer it from the first input.
        prefix: Prefix of the names of its parameters; automatic if None.
        params: Parameters of another layer to share.

    Source:
        Ba, Kiros, Hinton, arXiv:1607.06450.

    Example:
        >>> layer = LayerNorm()
        >>> layer.initialize()
        >>> layer(nd.array([[1, 3]])).asnumpy().round(3)
        array([[-1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self._center = center
        self._scale = scale
        self.gamma = self._hy_vector("gamma", in_channels, gamma_initializer, learned=scale)
        self.beta = self._hy_vector("beta", in_channels, beta_initializer, learned=center)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return ``data`` normalized."""
        return F.LayerNorm(data, gamma=gamma, beta=beta, axis=self._axis, eps=self._epsilon)


class InstanceNorm(_Norm):
    """Instance normalization: mean 0 and variance 1 of each channel of each example.

    Args:
        axis: The axis of the channels.
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        beta_initializer: Initializer of the shift.
        gamma_initializer: Initializer of the scale.
        in_channels: Number of channels; 0 to infer it from the first input.

    Source:
        Ulyanov, Vedaldi, Lempitsky, arXiv:1607.08022.

    Example:
        >>> layer = InstanceNorm()
        >>> layer.initialize()
        >>> layer(nd.array([[[1, 3], [9, 5]]])).asnumpy().round(3)
        array([[[-1.,  1.],
                [ 1., -1.]]], dtype=float32)
    """

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self.gamma = self._hy_vector("gamma", in_channels, gamma_initializer, learned=scale)
        self.beta = self._hy_vector("beta", in_channels, beta_initializer, learned=center)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        """Return ``x`` normalized."""
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        # The operator takes channels on axis 1 alone.
        x = F.swapaxes(x, dim1=1, dim2=self._axis)
        y = F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        return F.swapaxes(y, dim1=1, dim2=self._axis)


class GroupNorm(_Norm):
    """Group normalization: mean 0 and variance 1 of each group of channels of each example.

    ``gamma`` and ``beta`` have one element per group.

    Args:
        num_groups: Number of groups of channels (axis 1).
        epsilon: Added to the variance.
        center: Learn ``beta``.
        scale: Learn ``gamma``.
        beta_initializer: Initializer of the shift.
        gamma_initializer: Initializer of the scale.
        prefix: Prefix of the names of its parameters; automatic if None.
        params: Parameters of another layer to share.

    Source:
        Wu, He, arXiv:1803.08494.

    Example:
        >>> layer = GroupNorm(num_groups=2)
        >>> layer.initialize()
        >>> layer(nd.array([[[1, 3], [5, 9]]])).asnumpy().round(3)
        array([[[-1.,  1.],
                [-1.,  1.]]], dtype=float32)
    """

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {
            "eps": epsilon,
            "num_groups": num_groups,
            "center": center,
            "scale": scale,
        }
        self._num_groups = num_groups
        self._epsilon = epsilon
        self._center = center
        self._scale = scale
        self.gamma = self._hy_vector("gamma", num_groups, gamma_initializer, learned=scale)
        self.beta = self._hy_vector("beta", num_groups, beta_initializer, learned=center)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return ``data`` normalized."""
        return F.GroupNorm(
            data, gamma=gamma, beta=beta, num_groups=self._num_groups, eps=self._epsilon
        )

    def _hy_shown(self) -> dict[str, Any]:
        return self._kwargs
