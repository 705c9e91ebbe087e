"""Options of a quantization, validated on creation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from hy_ndarray import HyError, NDArray
from hy_symbol import Graph, Node, quantizable
from hy_symbol.passes.quantization import Mode, OutType

__all__ = ["CALIBRATIONS", "Arrays", "Options", "QuantizationError", "check"]

CALIBRATIONS = ("none", "naive", "entropy", "customize")
_GRANULARITIES = ("tensor-wise", "channel-wise")

Arrays = Mapping[str, NDArray]


class QuantizationError(HyError, ValueError):
    """A model cannot be quantized with these options."""


def check(name: str, value: object, known: Sequence[str]) -> None:
    """Raise an error if an option is not one of the known values.

    Raises:
        QuantizationError: ``value`` is not in ``known``.
    """
    if value not in known:
        raise QuantizationError(f"{name}={value!r} must be one of {', '.join(map(repr, known))}")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a graph's quantization.

    Raises:
        QuantizationError: A value is unknown, or names are not a list.
    """

    dtype: OutType = "int8"
    mode: Mode = "full"
    granularity: str = "tensor-wise"
    excluded: Sequence[str] | None = None
    excluded_operators: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check("quantized_dtype", self.dtype, get_args(OutType))
        check("quantize_mode", self.mode, get_args(Mode))
        check("quantize_granularity", self.granularity, _GRANULARITIES)
        for what, names in (
            ("excluded_sym_names", self.excluded),
            ("excluded_op_names", self.excluded_operators),
        ):
            if isinstance(names, str) or not all(isinstance(name, str) for name in names or ()):
                raise QuantizationError(f"{what}={names!r} must be a list of names")

    @property
    def by_filter(self) -> bool:
        """Return whether each filter of a weight has its own range (channel-wise)."""
        return self.granularity == "channel-wise"

    def nodes(self, graph: Graph, logger: Any = None) -> frozenset[Node]:
        """Return the nodes to quantize; warn about excluded names that do not exist."""
        excluded, operators = set(self.excluded or ()), set(self.excluded_operators or ())
        if logger is not None:
            names = {node.name for node in graph.nodes}
            known = {node.op.name for node in graph.nodes if node.op is not None}
            for name in sorted((excluded - names) | (operators - known)):
                logger.warning("%r is excluded from quantization, but not in the graph", name)
        candidates = quantizable(
            graph, mode=self.mode, excluded=excluded, excluded_operators=operators
        )
        if logger is not None:
            for node in graph.nodes:
                if node in candidates:
                    logger.info("%s is quantized", node.name)
        return candidates
