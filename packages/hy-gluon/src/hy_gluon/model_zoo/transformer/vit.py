"""Vision transformers: image encoders on patches."""

from typing import Any

from hy_gluon import nn
from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.transformer.bert import encoder_layers
from hy_gluon.model_zoo.transformer.layer import norm_of

__all__ = ["VisionTransformer"]


class VisionTransformer(HybridBlock):
    """Vision transformer for images ``[B, channels, image_size, image_size]``.

    Args:
        classes: Number of classes; 0 to return the vectors, ``[B, 1 + patches, units]``.
        units: Size of the vectors.
        num_layers: Number of layers.
        num_heads: Heads of attention.
        hidden_units: Size inside the feed-forward layers.
        image_size: Height and width of the images.
        patch_size: Height and width of a patch.
        channels: Channels of the images.
        activation: See :class:`FeedForward`.
        epsilon: Added to the variance in normalizations.
        dropout: Dropout rate of vectors and attention weights in training.
        qkv_bias: Whether projections of queries, keys and values have a bias.

    Raises:
        LayerError: ``image_size`` is not a multiple of ``patch_size``.

    Source:
        Dosovitskiy et al. 2020, arXiv:2010.11929.

    Example:
        >>> net = VisionTransformer(10, 8, 1, 2, 16, image_size=8, patch_size=4, channels=1)
        >>> net.initialize()
        >>> net(nd.ones((2, 1, 8, 8))).shape
        (2, 10)
    """

    def __init__(
        self,
        classes: int,
        units: int,
        num_layers: int,
        num_heads: int,
        hidden_units: int,
        *,
        image_size: int = 224,
        patch_size: int = 16,
        channels: int = 3,
        activation: str = "gelu",
        epsilon: float = 1e-12,
        dropout: float = 0.0,
        qkv_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        self.settings = {name: value for name, value in locals().items() if name in _SETTINGS}
        super().__init__(**kwargs)
        if image_size % patch_size:
            raise LayerError(
                f"image_size={image_size} must be a multiple of patch_size={patch_size}"
            )
        count = (image_size // patch_size) ** 2
        with self.name_scope():
            # A convolution whose stride is its window: a dense layer on each patch.
            self.patches = nn.Conv2D(
                units, patch_size, patch_size, in_channels=channels, prefix="patches_"
            )
            self.first = self.params.get("first", shape=(1, 1, units), init="zeros")
            self.position = self.params.get("position", shape=(1, count + 1, units))
            self.dropout = nn.Dropout(dropout)
            self.layers = encoder_layers(
                num_layers, units, num_heads, hidden_units, activation=activation,
                epsilon=epsilon, dropout=dropout, pre_norm=True, use_bias=qkv_bias,
            )  # fmt: skip
            self.norm = norm_of("layer", epsilon, units, "norm_")
            self.head = nn.Dense(classes, in_units=units, prefix="head_") if classes else None

    def hybrid_forward(self, F: Any, x: Any, first: Any, position: Any) -> Any:
        """Return the class scores of ``x``."""
        x = F.swapaxes(self.patches(x).reshape((0, 0, -1)), dim1=1, dim2=2)
        column = F.slice_axis(x, axis=1, begin=0, end=1)
        x = F.concat(F.broadcast_like(first, column), x, dim=1)
        x = self.norm(self.layers(self.dropout(F.broadcast_add(x, position))))
        if self.head is None:
            return x
        return self.head(F.slice_axis(x, axis=1, begin=0, end=1))


_SETTINGS = frozenset(
    (
        "classes",
        "units",
        "num_layers",
        "num_heads",
        "hidden_units",
        "image_size",
        "patch_size",
        "channels",
        "activation",
        "epsilon",
        "dropout",
        "qkv_bias",
    )
)
"""Arguments that say what net it is."""
