"""LoRA: trains two small matrices beside each selected dense layer; all else is frozen.

Example:
    >>> from hy_gluon import lora, nn
    >>> net = nn.MultiHeadAttention(8, 2, in_units=8)
    >>> net.initialize()
    >>> chosen = lora.wrap(net, rank=2, layers=("query", "value"))
    >>> sorted(chosen)
    ['query.lora_down', 'query.lora_up', 'value.lora_down', 'value.lora_up']
    >>> lora.save(net, "adapter.safetensors")
    >>> lora.merge(net)
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.block import Block, HybridBlock
from hy_gluon.initializer import Normal, Zero
from hy_gluon.parameter import Parameter
from hy_io import load_safetensors, save_safetensors
from hy_ndarray import HyError, nd

__all__ = ["LoRADense", "LoRAError", "load", "merge", "parameters", "save", "wrap"]


class LoRAError(HyError, ValueError):
    """No layer has the given name, or a file does not match the wrapped layers."""


class LoRADense(nn.Dense):
    """Dense layer with a trainable low-rank product added to its weight.

    ``x (weight + alpha / rank * up down).T + bias``. :func:`wrap` converts dense layers to this
    class.

    Source:
        Hu et al. 2021, arXiv:2106.09685, section 4.1.
    """

    lora_down: Parameter
    lora_up: Parameter
    _lora_scale: float
    _rank: int

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        weight: Any,
        bias: Any = None,
        lora_down: Any = None,
        lora_up: Any = None,
    ) -> Any:
        """Return the layer's output for ``x``."""
        options = {"no_bias": True, "flatten": self._flatten}
        inner = F.FullyConnected(x, lora_down, num_hidden=self._rank, **options)
        more = F.FullyConnected(inner, lora_up, num_hidden=self._units, **options)
        # Past `__setattr__`, which refuses to turn a block into None: the activation comes after
        # the sum.
        act, self.__dict__["act"] = self.act, None
        try:
            y = super().hybrid_forward(F, x, weight, bias) + more * self._lora_scale
        finally:
            self.__dict__["act"] = act
        return y if act is None else act(y)


def _layers(block: Block, path: str = "") -> Iterator[tuple[str, Block]]:
    """Yield every descendant of a block with its scope path."""
    for name, child in block._hy_blocks().items():
        yield f"{path}{name}", child
        yield from _layers(child, f"{path}{name}.")


def _wrapped(net: Block) -> list[tuple[str, LoRADense]]:
    return [(path, layer) for path, layer in _layers(net) if isinstance(layer, LoRADense)]


def wrap(
    net: HybridBlock,
    rank: int = 8,
    alpha: float | None = None,
    layers: Sequence[str] = ("query", "value"),
) -> dict[str, Parameter]:
    """Add low-rank matrices to dense layers, freeze all else, and return the new parameters.

    The net's outputs do not change until they are trained.

    Args:
        net: The initialized net.
        rank: Rank of the product: rows of the first matrix, and columns of the second.
        alpha: The product is scaled by ``alpha / rank``; ``rank`` if None.
        layers: Ends of scope paths of the layers, such as ``"query"`` or ``"feed_forward.up"``.

    Raises:
        LoRAError: No dense layer has such a path, or the net is already wrapped.
    """
    names = [
        (path, layer)
        for path, layer in _layers(net)
        if isinstance(layer, nn.Dense) and f".{path}".endswith(tuple(f".{x}" for x in layers))
    ]
    if not names:
        raise LoRAError(f"no dense layer of {net.name} is called {' or '.join(layers)}")
    if _wrapped(net):
        raise LoRAError(f"{net.name} has such layers already; merge them first")
    for parameter in net.collect_params().values():
        parameter.grad_req = "null"
    for _, layer in names:
        units, size = layer.weight.data().shape
        where, dtype = layer.weight.list_ctx(), layer.weight.dtype
        shapes = {"lora_down": (rank, size), "lora_up": (units, rank)}
        # A product of zero at first, yet with gradients: those of `up` depend on `down` alone.
        inits = {"lora_down": Normal(size**-0.5), "lora_up": Zero()}
        # The layer itself changes its class, since programs and parents hold it by reference.
        layer.__class__ = LoRADense
        for name, shape in shapes.items():
            parameter = layer.params.get(name, shape=shape, dtype=dtype, init=inits[name])
            parameter.initialize(ctx=where)
            setattr(layer, name, parameter)
        scale = (rank if alpha is None else alpha) / rank
        layer.__dict__.update(_rank=rank, _lora_scale=scale)
    _clear_traces(net)
    return parameters(net)


def parameters(net: Block) -> dict[str, Parameter]:
    """Return the matrices that :func:`wrap` added, by scope path, to pass to a trainer."""
    return {
        f"{path}.{name}": getattr(layer, name)
        for path, layer in _wrapped(net)
        for name in ("lora_down", "lora_up")
    }


def merge(net: HybridBlock) -> None:
    """Add the low-rank products to the weights; layers become plain, and all parameters train."""
    for _, layer in _wrapped(net):
        product = nd.dot(layer.lora_up.data(), layer.lora_down.data()) * layer._lora_scale
        layer.weight.set_data(layer.weight.data() + product)
        for name in ("lora_down", "lora_up"):
            parameter = layer._reg_params.pop(name)
            del layer.params._params[parameter.name]
            del layer.__dict__[name]
        layer.__class__ = nn.Dense  # type: ignore[assignment]  # what it was
    for parameter in net.collect_params().values():
        if parameter._differentiable:
            parameter.grad_req = "write"
    _clear_traces(net)


def _clear_traces(net: HybridBlock) -> None:
    for block in (net, *(child for _, child in _layers(net))):
        if isinstance(block, HybridBlock):
            block._clear_cached_op()


def save(net: Block, path: str | os.PathLike[str]) -> None:
    """Write only the low-rank matrices to a safetensors file.

    Raises:
        LoRAError: The net is not wrapped.
    """
    arrays = {name: parameter.data().asnumpy() for name, parameter in parameters(net).items()}
    if not arrays:
        raise LoRAError("the net has no low-rank matrices to save; add them by wrap first")
    save_safetensors(path, arrays, metadata={"lora_scale": str(_wrapped(net)[0][1]._lora_scale)})


def load(net: Block, path: str | os.PathLike[str]) -> None:
    """Load low-rank matrices from a file into a net that was wrapped in the same way.

    Raises:
        LoRAError: Names or shapes in the file differ from the net's.
    """
    content = load_safetensors(path)
    own = parameters(net)
    arrays = content.arrays
    if not isinstance(arrays, dict) or arrays.keys() != own.keys():
        odd = sorted(own.keys() ^ set(arrays if isinstance(arrays, dict) else ()))
        raise LoRAError(f"{path} and the net differ in {', '.join(odd) or 'their names'}")
    for name, parameter in own.items():
        if arrays[name].shape != parameter.shape:
            raise LoRAError(f"{path}: {name} has shape {arrays[name].shape}, not {parameter.shape}")
        parameter.set_data(nd.array(arrays[name], dtype=arrays[name].dtype))
    for _, layer in _wrapped(net):
        layer.__dict__["_lora_scale"] = float(content.metadata["lora_scale"])
