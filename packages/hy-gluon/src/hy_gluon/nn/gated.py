"""Feed-forward layers with gated hidden units."""

from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Init
from hy_gluon.nn.basic import Dense

__all__ = ["GEGLU", "SwiGLU"]


class _Gated(HybridBlock):
    """Gated feed-forward layer ``down(act(gate(x)) * up(x))`` along the last axis."""

    def __init__(
        self,
        units: int,
        hidden_units: int,
        use_bias: bool = False,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        shared: dict[str, Any] = {"use_bias": use_bias, "flatten": False, "dtype": dtype}
        shared["weight_initializer"] = weight_initializer
        with self.name_scope():
            self.gate = Dense(hidden_units, in_units=in_units, prefix="gate_", **shared)
            self.up = Dense(hidden_units, in_units=in_units, prefix="up_", **shared)
            self.down = Dense(units, in_units=hidden_units, prefix="down_", **shared)

    def _activate(self, F: Any, gate: Any) -> Any:
        raise NotImplementedError

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the layer's output for ``x``."""
        return self.down(self._activate(F, self.gate(x)) * self.up(x))


class SwiGLU(_Gated):
    """SwiGLU: feed-forward layer gated by SiLU.

    Args:
        units: Size of the last axis of the output.
        hidden_units: Size of the gates.
        use_bias: Whether the three projections have a bias.
        dtype: Dtype of the parameters.
        weight_initializer: Initializer of the weights.
        in_units: Size of the input; 0 to infer it from the first input.

    Source:
        Shazeer, GLU Variants Improve Transformer, 2020, arXiv:2002.05202.

    Example:
        >>> layer = SwiGLU(4, 16)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
    """

    def _activate(self, F: Any, gate: Any) -> Any:
        return gate * F.sigmoid(gate)


class GEGLU(_Gated):
    """GEGLU: feed-forward layer gated by GELU.

    Args:
        units: Size of the last axis of the output.
        hidden_units: Size of the gates.
        use_bias: Whether the three projections have a bias.
        dtype: Dtype of the parameters.
        weight_initializer: Initializer of the weights.
        in_units: Size of the input; 0 to infer it from the first input.

    Source:
        Shazeer, GLU Variants Improve Transformer, 2020, arXiv:2002.05202.

    Example:
        >>> layer = GEGLU(4, 16)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
    """

    def _activate(self, F: Any, gate: Any) -> Any:
        return F.LeakyReLU(gate, act_type="gelu")
