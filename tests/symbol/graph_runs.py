"""Running graphs in tests: random arrays for them, their values, and what they are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import Buffer, NDArray, cpu, device_of, nd
from hy_symbol import Symbol, TypedGraph

__all__ = ["arrays", "buffers", "kinds", "run", "typed", "values"]


def values(
    net: Symbol, rng: np.random.Generator, dtype: str = "float32", **shapes: Any
) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Random arguments, and auxiliary states greater than 0."""
    arguments, _, states = net.infer_shape(**shapes)
    assert arguments is not None
    assert states is not None
    args = {
        name: nd.array(rng.standard_normal(shape), dtype=dtype)
        for name, shape in zip(net.list_arguments(), arguments, strict=True)
    }
    aux = {
        name: nd.array(rng.uniform(0.5, 2, shape))
        for name, shape in zip(net.list_auxiliary_states(), states, strict=True)
    }
    return args, aux


def run(net: Symbol, *arrays: Mapping[str, NDArray]) -> list[Any]:
    given = {name: array for part in arrays for name, array in part.items()}
    used = {name: given[name] for name in net.list_inputs()}
    return [y.asnumpy() for y in net.eval(None, **used)]


def kinds(net: Symbol) -> list[str]:
    return [node.op.name for node in net.graph.nodes if node.op is not None]


def typed(net: Symbol, arrays: Sequence[npt.NDArray[Any]]) -> TypedGraph:
    """The graph with the types that these arrays give to its variables."""
    return TypedGraph.of(net.graph, [(array.shape, array.dtype.name) for array in arrays])


def buffers(*given: npt.NDArray[Any]) -> list[Buffer]:
    """Copies of arrays, as buffers of the table that serves the CPU."""
    device = device_of(cpu())
    return [device.memory.from_numpy(array, device.handle) for array in given]


def arrays(found: Sequence[Buffer]) -> list[npt.NDArray[Any]]:
    """What buffers of the table that serves the CPU hold."""
    return list(map(device_of(cpu()).memory.to_numpy, found))
