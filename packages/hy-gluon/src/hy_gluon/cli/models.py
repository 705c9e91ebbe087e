"""A model in files: its graph, its parameters, and calls of it on random numbers."""

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hy_gluon.block import SymbolBlock
from hy_gluon.cli.fitting import check_fit, plain
from hy_gluon.cli.formats import load
from hy_gluon.verification import verify
from hy_io import checkpoint_epochs
from hy_ndarray import AutogradError, NDArray, current_context, nd
from hy_symbol import Symbol, load_json, viz

__all__ = ["Model", "Shapes"]

Shapes = Mapping[str, tuple[int, ...]]


class Model:
    """A graph in a file, with its parameters in another one or in the same.

    Args:
        path: ``net-symbol.json``, or a safetensors file that holds its graph, too.
        params: The file of the parameters; the newest beside the graph by default.
        inputs: Shapes of inputs by name.

    Raises:
        ValueError: The file has no graph, or that has no such inputs.
        FileFormatError: A file is damaged.
    """

    def __init__(self, path: str, params: str | None, inputs: Shapes) -> None:
        self.path = path
        self.inputs = inputs
        if path.endswith(".json"):
            text: str | None = Path(path).read_text(encoding="utf-8")
            self.params = params or _newest(path)
        else:
            text = load(path).graph
            self.params = params or path
        if text is None:
            raise ValueError(f"{path} holds no graph; give net-symbol.json")
        self.symbol: Symbol = load_json(text)
        unknown = [name for name in inputs if name not in self.symbol.list_inputs()]
        if unknown:
            known = ", ".join(self.symbol.list_inputs())
            raise ValueError(f"{path}: no input {', '.join(unknown)}; there are {known}")

    def summary(self) -> str:
        """A table of the layers, with shapes where those of the inputs are known."""
        return viz.summary(self.symbol, shape=dict(self.inputs) or None)

    def check(self) -> int:
        """How many parameters there are, all of which fit.

        Raises:
            MisfitError: Some do not.
            ValueError: There is no file of them.
        """
        arrays = load(self._file()).arrays
        check_fit(arrays, self.symbol, self.inputs)
        return len(arrays)

    def verify(self) -> dict[str, float]:
        """The largest differences between the ways to run the model, and to train it if it can be.

        Raises:
            AssertionError: They are too large.
        """
        block, examples = self.block(), self.examples()
        try:
            return verify(block, *examples)
        except AutogradError:
            return verify(block, *examples, gradients=False)

    def block(self) -> SymbolBlock:
        """The model as a block."""
        arrays = load(self._file()).arrays
        check_fit(arrays, self.symbol, self.inputs)
        names = list(self.inputs)
        variables = {node.name: node for node in self.symbol.graph.variables}
        outputs = self.symbol if self.symbol.num_outputs == 1 else list(self.symbol)
        made = SymbolBlock(outputs, [Symbol.of((variables[name], 0)) for name in names])
        for name, array in arrays.items():
            made.params[plain(name)]._load_init(
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
            first = self.symbol.list_inputs()[0]
            raise ValueError(
                f"{self.path}: give the shape of each input, such as --input {first}=1,3,224,224"
            )
        return [nd.random.uniform(shape=shape) for shape in self.inputs.values()]

    def bench(self, calls: int) -> dict[str, Any]:
        """How long calls take, in milliseconds, and which kernels run.

        Args:
            calls: How many are timed, behind three that are not.
        """
        block, examples = self.block(), self.examples()
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

    def draw(self, target: str) -> None:
        """Write a drawing of the graph as an SVG file."""
        picture = viz.svg(self.symbol, shape=dict(self.inputs) or None)
        Path(target).write_text(picture, encoding="utf-8")

    def _file(self) -> str:
        if self.params is None:
            raise ValueError(f"{self.path}: there are no parameters beside it; give --params")
        return self.params


def _newest(path: str) -> str | None:
    """The parameters of the last epoch beside a graph."""
    prefix = path.removesuffix("-symbol.json")
    epochs = checkpoint_epochs(prefix) if prefix != path else []
    return f"{prefix}-{epochs[-1]:04d}.params" if epochs else None
