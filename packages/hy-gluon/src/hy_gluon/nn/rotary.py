"""Rotary position embeddings: queries and keys rotated by angles of their positions."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock

__all__ = ["RotaryEmbedding", "frequencies", "rotated"]


def frequencies(
    size: int, base: float = 10000.0, scaling: Mapping[str, Any] | None = None
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the ``size / 2`` angles between the rotations of consecutive positions.

    Args:
        size: Size of the vectors, even.
        base: Inverse of the smallest angle, approximately.
        scaling: Scaling of angles for longer sequences: ``{"rope_type": "linear", "factor": f}``,
            or ``"llama3"`` with additional ``low_freq_factor``, ``high_freq_factor`` and
            ``original_max_position_embeddings``; none if None or ``"default"``.

    Raises:
        LayerError: The size is odd, or the scaling unknown.

    Source:
        Su et al. 2021, arXiv:2104.09864; linear: Chen et al. 2023, arXiv:2306.15595; llama3: The
        Llama 3 Herd of Models 2024, arXiv:2407.21783, whose weights state the four numbers.

    Example:
        >>> frequencies(4, 100.0)
        array([1. , 0.1], dtype=float32)
    """
    if size % 2:
        raise LayerError(f"rotary embeddings need vectors of even size, not {size}")
    # Su et al. 2021, section 3.2.2.
    speed = base ** (-np.arange(0, size, 2, dtype=np.float64) / size)
    scaling = scaling or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "linear":
        # Chen et al. 2023: positions are squeezed into the range of training.
        speed = speed / scaling["factor"]
    elif kind == "llama3":
        turns = scaling["original_max_position_embeddings"] * speed / (2 * math.pi)
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        # Llama 3.1: angles that turn often within the context of training stay, slow ones are
        # divided by the factor, and between the bounds they are mixed.
        share = np.clip((turns - low) / (high - low), 0, 1)
        speed = speed * share + speed / scaling["factor"] * (1 - share)
    elif kind != "default":
        raise LayerError(f"rope_type {kind!r} is unknown; there are default, linear and llama3")
    return speed.astype(np.float32)


class RotaryEmbedding(HybridBlock):
    """Rotary position embedding: cosines and sines that rotate queries and keys.

    Called with positions ``[L]`` or ``[B, L]``, returns two arrays ``[*positions, size]`` for
    :class:`MultiHeadAttention`: cosines, and sines whose first half is negated. Elements ``i`` and
    ``i + size / 2`` of a vector are rotated as a pair.

    Args:
        size: Size of a head's vectors, even.
        base: Inverse of the smallest angle, approximately.
        scaling: See :func:`frequencies`.

    Source:
        Su et al. 2021, arXiv:2104.09864.

    Example:
        >>> rotary = RotaryEmbedding(4)
        >>> rotary.initialize()
        >>> cos, sin = rotary(nd.array([0, 1]))
        >>> cos.asnumpy().round(2)
        array([[1.  , 1.  , 1.  , 1.  ],
               [0.54, 1.  , 0.54, 1.  ]], dtype=float32)
    """

    def __init__(
        self,
        size: int,
        base: float = 10000.0,
        scaling: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        speed = frequencies(size, base, scaling)
        with self.name_scope():
            self.frequency = self.params.get_constant("frequency", np.concatenate([-speed, speed]))

    def cast(self, dtype: object) -> None:
        """Do nothing: angles stay float32, to distinguish large positions."""

    def hybrid_forward(self, F: Any, positions: Any, frequency: Any) -> Any:
        """Return cosines and sines of positions."""
        column = F.expand_dims(F.cast(positions, dtype="float32"), axis=-1)
        angles = F.broadcast_mul(column, frequency)
        return F.cos(angles), F.sin(angles)  # of opposite angles in the first half


def rotated(F: Any, x: Any, cos: Any, sin: Any, axis: int = -2) -> Any:
    """Return ``x``, ``[B, L, H, D]``, rotated by angles ``[L, D]`` or ``[B, L, D]``.

    Args:
        F: Namespace of operators, ``nd`` or ``sym``.
        x: The vectors; ``[L, B, H, D]`` with angles ``[L, D]`` and ``axis=1``.
        cos: Cosines of the angles.
        sin: Sines of the angles, negative in the first half.
        axis: Position of the axis of heads inserted into the angles; if 1, axes of batch and heads.
    """
    if axis == 1:
        cos, sin = (F.expand_dims(a, axis=1) for a in (cos, sin))
    cos, sin = (F.expand_dims(a, axis=axis) for a in (cos, sin))
    return F.contrib.rotary_embedding(x, cos, sin)
