"""A graph and its arrays, and nothing else known of the model: told, verified, drawn, timed."""

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hy_gluon.block import SymbolBlock
from hy_gluon.verification import verify
from hy_io import StoredArray
from hy_ndarray import AutogradError, NDArray, current_context, nd
from hy_symbol import Symbol, viz

__all__ = ["Arrays", "Model", "Shapes"]

Arrays = Mapping[str, StoredArray]
Shapes = Mapping[str, tuple[int, ...]]


class Model:
    """A graph, run on random numbers.

    Args:
        name: What errors call it, such as its file.
        symbol: The graph.
        inputs: Shapes of inputs by name.

    Raises:
        ValueError: There are no such inputs.
    """

    def __init__(self, name: str, symbol: Symbol, inputs: Shapes) -> None:
        self.name = name
        self.inputs = inputs
        self.symbol = symbol
        unknown = [one for one in inputs if one not in self.symbol.list_inputs()]
        if unknown:
            known = ", ".join(self.symbol.list_inputs())
            raise ValueError(f"{name}: no input {', '.join(unknown)}; there are {known}")

    @property
    def example(self) -> str:
        """How the command is told the shape of an input."""
        first = next(iter(self.symbol.list_inputs()), "data")
        return f"--input {first}=1,3,224,224"

    def summary(self) -> str:
        """A table of the layers, with shapes where those of the inputs are known."""
        return viz.summary(self.symbol, shape=dict(self.inputs) or None)

    def draw(self, target: str) -> None:
        """Write a drawing of the graph as an SVG file."""
        picture = viz.svg(self.symbol, shape=dict(self.inputs) or None)
        Path(target).write_text(picture, encoding="utf-8")

    def verify(self, arrays: Arrays) -> dict[str, float]:
        """The largest differences between the ways to run the model, and to train it if it can be.

        Args:
            arrays: Its parameters by name, with or without ``arg:`` and ``aux:``.

        Raises:
            AssertionError: They are too large.
        """
        block, examples = self.block(arrays), self.examples()
        try:
            return verify(block, *examples)
        except AutogradError:
            return verify(block, *examples, gradients=False)

    def bench(self, arrays: Arrays, calls: int) -> dict[str, Any]:
        """How long calls take, in milliseconds.

        Args:
            arrays: As for `verify`.
            calls: How many are timed, behind three that are not.
        """
        block, examples = self.block(arrays), self.examples()
        block.hybridize(static_alloc=True, static_shape=True)
        times = []
        for number in range(-3, calls):
            start = time.perf_counter()
            found: Any = block(*examples)
            for array in found if isinstance(found, list | tuple) else [found]:
                array.wait_to_read()
            if number >= 0:
                times.append(1000 * (time.perf_counter() - start))
        median = statistics.median(times)
        return {
            "calls": calls,
            "median_ms": median,
            "fastest_ms": min(times),
            "items_per_second": 1000 * len(examples[0]) / median,
            "context": str(current_context()),
        }

    def block(self, arrays: Arrays) -> SymbolBlock:
        """The model as a block."""
        variables = {node.name: node for node in self.symbol.graph.variables}
        outputs = self.symbol if self.symbol.num_outputs == 1 else list(self.symbol)
        made = SymbolBlock(outputs, [Symbol.of((variables[name], 0)) for name in self.inputs])
        for name, array in arrays.items():
            made.params[name.removeprefix("arg:").removeprefix("aux:")]._load_init(
                nd.array(array, dtype=str(array.dtype)),
                current_context(),
                cast_dtype=True,
                dtype_source="saved",
            )
        return made

    def examples(self) -> Sequence[NDArray]:
        """Random numbers for each input.

        Raises:
            ValueError: Their shapes are not known.
        """
        if not self.inputs:
            raise ValueError(f"{self.name}: give the shape of each input, such as {self.example}")
        return [nd.random.uniform(shape=shape) for shape in self.inputs.values()]
