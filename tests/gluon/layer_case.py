"""LayerCase: one row says which block, on which inputs; every check of the two tests runs on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hy_gluon import HybridBlock
from hy_ndarray import nd

__all__ = ["LayerCase", "arrays", "filled"]


@dataclass(frozen=True, slots=True)
class LayerCase:
    """A block, and inputs drawn from ``uniform(low, high)`` or given."""

    block: Callable[..., HybridBlock]
    kwargs: Mapping[str, Any]
    shapes: tuple[tuple[int, ...] | None, ...]
    """One per input; None gives None."""
    low: float = -1.0
    high: float = 1.0
    inputs: Mapping[int, Any] = field(default_factory=dict)
    """Values instead of random ones, by position: indices, labels. No gradient is asked for."""
    differentiable: bool = True
    """False: nothing is learned, and the gradient to the inputs is nothing to check."""
    name: str = ""
    """What the row is called; by default after the block and the shapes."""

    def make(self) -> HybridBlock:
        """A new block."""
        return self.block(**self.kwargs)

    def __str__(self) -> str:
        if self.name:
            return self.name
        shapes = "x".join(str(list(s)).replace(" ", "") if s else "None" for s in self.shapes)
        kwargs = ",".join(f"{key}={value}" for key, value in self.kwargs.items())
        return "-".join(filter(None, [self.block.__name__, shapes, kwargs]))


def arrays(case: LayerCase, rng: np.random.Generator, dtype: str = "float64") -> list[Any]:
    """Fresh inputs; those that are drawn have a gradient attached."""
    result: list[Any] = []
    for i, shape in enumerate(case.shapes):
        if shape is None:
            result.append(None)
        elif i in case.inputs:
            values = np.asarray(case.inputs[i], dtype=dtype)
            assert values.shape == shape
            result.append(nd.array(values, dtype=dtype))
        else:
            array = nd.array(rng.uniform(case.low, case.high, shape), dtype=dtype)
            array.attach_grad()
            result.append(array)
    return result


def filled(block: HybridBlock, rng: np.random.Generator) -> HybridBlock:
    """``block`` with random parameters; scales and variances are positive."""
    for name, parameter in block._collect_params_with_prefix().items():
        values = rng.normal(size=parameter.shape) * 0.5
        if name.endswith(("gamma", "var", "alpha")):
            values = np.abs(values) + 0.5
        parameter.set_data(nd.array(values, dtype=parameter.dtype))
    return block
