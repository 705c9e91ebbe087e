"""Gradient compression to two bits per element, with error feedback."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from hy_gluon.kvstore.errors import KVStoreError
from hy_ndarray import ArgumentError, NDArray, nd

__all__ = ["Compression"]

# What compression loses stays in a residual and is sent later (Seide et al. 2014, error feedback).
_TYPE = "2bit"


class Compression(NamedTuple):
    """Two-bit gradient compression: elements become ``threshold``, 0 or ``-threshold``."""

    threshold: float = 0.5

    @classmethod
    def of(cls, params: Any) -> "Compression":
        """Return the compression for parameters such as ``{"type": "2bit", "threshold": 0.5}``.

        Raises:
            ArgumentError: ``params`` is not a dictionary.
            KVStoreError: The type is unknown, or the threshold is not a positive number.
        """
        if not isinstance(params, Mapping):
            raise ArgumentError(
                f"compression_params is a dictionary, not a {type(params).__name__}; "
                'for example {"type": "2bit", "threshold": 0.5}'
            )
        kind, threshold = params.get("type"), params.get("threshold", 0.5)
        unknown = sorted(set(params) - {"type", "threshold"})
        if kind != _TYPE or unknown:
            what = f"type {kind!r}" if kind != _TYPE else f"parameter {unknown[0]!r}"
            raise KVStoreError(
                f"gradient compression has no {what}: "
                'use {"type": "2bit", "threshold": a positive number}'
            )
        try:
            number = float(threshold)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < float("inf"):
            raise KVStoreError(
                f"gradient compression: threshold must be greater than 0, not {threshold!r}"
            )
        return cls(number)

    def compress(self, gradient: NDArray, residual: NDArray) -> NDArray:
        """Return gradient plus residual, quantized to ``threshold``, 0 or ``-threshold``.

        Args:
            gradient: A gradient.
            residual: Accumulated quantization errors, of the same shape; updated in place.
        """
        # Residual first: many small gradients add up until they pass the threshold.
        total = residual + gradient
        sign = (total >= self.threshold) - (total <= -self.threshold)
        result: NDArray = sign * self.threshold
        residual[:] = total - result
        return result

    @staticmethod
    def residual(gradient: NDArray) -> NDArray:
        """Return an initial residual of zeros for a gradient."""
        return nd.zeros_like(gradient)
