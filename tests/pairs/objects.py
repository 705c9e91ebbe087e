"""Helpers in calls that need more than one step: a layer's pass, a metric's value, some updates."""

from collections.abc import Callable
from typing import Any

import numpy as onp

__all__ = ["Helpers"]


class Helpers:
    """The helpers for one ``mxnet``; the names of its methods are words of calls."""

    def __init__(self, mx: Any, x: Callable[..., Any]) -> None:
        self._mx = mx
        self._x = x

    def words(self) -> dict[str, Any]:
        """All helpers by name."""
        names = [name for name in vars(Helpers) if not name.startswith("_") and name != "words"]
        return {name: getattr(self, name) for name in names}

    def infer(self, symbol: Any, **shapes: Any) -> Any:
        """Names and inferred shapes of a graph."""
        return [
            symbol.list_arguments(),
            symbol.list_outputs(),
            symbol.list_auxiliary_states(),
            *symbol.infer_shape(**shapes),
        ]

    def trained(self, call: Callable[[], Any]) -> Any:
        """The call in training mode."""
        with self._mx.autograd.train_mode():
            return call()

    def slopes(self, function: Callable[..., Any], *inputs: Any) -> Any:
        """Gradients of a function's sum."""
        for array in inputs:
            array.attach_grad()
        with self._mx.autograd.record():
            result = function(*inputs)
        result.backward()
        return [array.grad for array in inputs]

    def filled(self, block: Any) -> Any:
        """A block whose parameters have drawn numbers, in the order of their names."""
        rng = onp.random.default_rng(5)
        block.initialize(self._mx.init.Constant(0.1), force_reinit=True)
        for _, parameter in sorted(block.collect_params().items()):
            if parameter.shape is not None and all(size > 0 for size in parameter.shape):
                parameter.set_data(self._mx.nd.array(rng.uniform(0.1, 1, parameter.shape)))
        return block

    def layer(self, block: Any, *inputs: Any) -> Any:
        """Outputs of a block after a pass, and the shapes of its parameters."""
        outputs = self.filled(block)(*inputs)
        shapes = [list(parameter.shape) for parameter in block.collect_params().values()]
        return [outputs, sorted(shapes)]

    def begun(self, cell: Any, batch: int = 2) -> Any:
        return cell.begin_state(batch)

    def cell(self, block: Any, inputs: Any, length: int = 3, **how: Any) -> Any:
        """A recurrent cell unrolled."""
        return self.filled(block).unroll(length, inputs, **how)

    def recurrent(self, block: Any, inputs: Any) -> Any:
        """A recurrent layer's outputs and states."""
        axis = block._layout.find("N")
        return self.filled(block)(inputs, block.begin_state(inputs.shape[axis]))

    def measured(self, metric: Any, labels: Any, preds: Any) -> Any:
        """A metric after one batch."""
        metric.update(labels, preds)
        return metric.get()

    def updated(self, optimizer: Any, weight: Any, grad: Any, steps: int = 2) -> Any:
        """A weight after some steps."""
        updater = self._mx.optimizer.get_updater(optimizer)
        for _ in range(steps):
            updater(0, grad, weight)
        return weight

    def initialized(self, initializer: Any, name: str, shape: Any) -> Any:
        """An array after an initializer has seen its name."""
        array = self._mx.nd.zeros(shape)
        initializer(self._mx.init.InitDesc(name), array)
        return array

    def rates(self, scheduler: Any) -> Any:
        return [scheduler(step) for step in (0, 1, 2, 5, 10, 20)]

    def batches(self, iterator: Any) -> Any:
        """All batches of an iterator."""
        return [[list(b.data), list(b.label or ()), b.pad] for b in iterator]

    def taken(self, items: Any) -> Any:
        return list(items)

    def photo(self, *shape: int) -> Any:
        return self._x(*(shape or (6, 8, 3)), low=0, high=255, dtype="uint8")

    def stored(self, kind: str, *pairs: tuple[Any, Any]) -> Any:
        store = self._mx.kv.create(kind)
        for key, value in pairs:
            store.init(key, value)
        return store

    def pulled(self, store: Any, key: Any, shape: Any = (2, 3), **how: Any) -> Any:
        out = self._mx.nd.zeros(shape)
        store.pull(key, out=out, **how)
        return out

    def after(self, thing: Any, *values: Any) -> Any:
        """The last of some values, all of which are evaluated in order."""
        return values[-1] if values else thing

    def net(self) -> Any:
        data = self._mx.sym.var("data")
        dense = self._mx.sym.FullyConnected(data, num_hidden=3, name="fc")
        return self._mx.sym.SoftmaxOutput(dense, name="softmax")

    def bound(self, module: Any, **how: Any) -> Any:
        module.bind([("data", (2, 4))], [("softmax_label", (2,))], **how)
        module.init_params(self._mx.init.Constant(0.1))
        return module

    def batch(self, *shape: int, labels: Any = (0, 1)) -> Any:
        return self._mx.io.DataBatch([self._x(*(shape or (2, 4)))], [self._mx.nd.array(labels)])
