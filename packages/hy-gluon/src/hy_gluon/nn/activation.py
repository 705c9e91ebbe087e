"""Activation layers."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_gluon.initializer import Constant
from hy_gluon.nn._arguments import Init, check_act_type

__all__ = [
    "ELU",
    "GELU",
    "SELU",
    "Activation",
    "LeakyReLU",
    "PReLU",
    "SiLU",
    "Swish",
    "activation_of",
]


class Activation(HybridBlock):
    """Layer that applies an activation function given by name.

    Args:
        activation: ``"relu"``, ``"sigmoid"``, ``"softrelu"``, ``"softsign"`` or ``"tanh"``.

    Example:
        >>> Activation("relu")(nd.array([-1, 2])).asnumpy()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: str, **kwargs: Any) -> None:
        if type(self).hybrid_forward is Activation.hybrid_forward:
            check_act_type(activation)
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return F.Activation(x, act_type=self._act_type, name="fwd")


def activation_of(activation: str | None) -> Activation | None:
    """Return the layer of an argument ``activation``; None if that is None.

    Raises:
        LayerError: ``activation`` is neither a name nor None.
    """
    if activation is None:
        return None
    if not isinstance(activation, str):
        raise LayerError(
            f"activation must be a name such as 'relu', not {activation!r}; a block can follow "
            "the layer in a HybridSequential"
        )
    return Activation(activation, prefix=activation + "_")


class LeakyReLU(HybridBlock):
    """Leaky ReLU: ``x`` if positive, otherwise ``alpha x``.

    Args:
        alpha: The slope for negative input; at least 0.

    Raises:
        LayerError: ``alpha`` is negative.

    Source:
        Maas, Hannun, Ng, Rectifier Nonlinearities Improve Neural Network Acoustic Models, 2013.

    Example:
        >>> LeakyReLU(0.5)(nd.array([-1, 2])).asnumpy()
        array([-0.5,  2. ], dtype=float32)
    """

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if alpha < 0:
            raise LayerError(f"LeakyReLU: alpha must be at least 0, not {alpha}")
        super().__init__(**kwargs)
        self._alpha = alpha

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")


class PReLU(HybridBlock):
    """Leaky ReLU with a learned slope, shared by all channels or one per channel.

    Args:
        alpha_initializer: Initializer of the slope.
        in_channels: Number of slopes: 1, or the size of axis 1 of the input.

    Source:
        He, Zhang, Ren, Sun, Delving Deep into Rectifiers, arXiv:1502.01852.

    Example:
        >>> layer = PReLU()
        >>> layer.initialize()
        >>> layer(nd.array([[-1, 2]])).asnumpy()
        array([[-0.25,  2.  ]], dtype=float32)
    """

    def __init__(
        self,
        alpha_initializer: Init = Constant(0.25),  # noqa: B008  # has no state
        in_channels: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        """Return the activation function of ``x``."""
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """Exponential linear unit: ``x`` if positive, otherwise ``alpha (exp(x) - 1)``.

    Args:
        alpha: Negative of the limit for large negative input.

    Source:
        Clevert, Unterthiner, Hochreiter, arXiv:1511.07289.

    Example:
        >>> ELU()(nd.array([-1, 2])).asnumpy().round(4)
        array([-0.6321,  2.    ], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """Scaled exponential linear unit, which keeps mean 0 and variance 1 from layer to layer.

    Source:
        Klambauer, Unterthiner, Mayr, Hochreiter, arXiv:1706.02515.
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """Gaussian error linear unit ``x Φ(x)``, where ``Φ`` is the normal distribution function.

    Source:
        Hendrycks, Gimpel, arXiv:1606.08415.
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """Swish ``x sigmoid(beta x)``.

    Args:
        beta: Steepness of the sigmoid.

    Source:
        Ramachandran, Zoph, Le, arXiv:1710.05941.

    Example:
        >>> Swish()(nd.array([-1, 2])).asnumpy().round(4)
        array([-0.2689,  1.7616], dtype=float32)
    """

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return x * F.sigmoid(self._beta * x, name="fwd")


class SiLU(HybridBlock):
    """Sigmoid linear unit ``x sigmoid(x)``.

    Args:
        kwargs: ``prefix``, ``params``.

    Source:
        Elfwing, Uchibe, Doya, arXiv:1702.03118.

    Example:
        >>> SiLU()(nd.array([-1, 2])).asnumpy().round(4)
        array([-0.2689,  1.7616], dtype=float32)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation function of ``x``."""
        return x * F.sigmoid(x, name="fwd")
