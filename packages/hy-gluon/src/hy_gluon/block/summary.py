"""Table printed by ``net.summary(x)``."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from hy_gluon._errors import BlockError
from hy_gluon.parameter import ParameterDict
from hy_ndarray import NDArray

__all__ = ["print_summary"]


class _Layer(Protocol):
    """Interface of a block that the table needs."""

    _hy_is_container: ClassVar[bool]

    @property
    def name(self) -> str: ...

    @property
    def params(self) -> ParameterDict: ...

    def collect_params(self) -> ParameterDict: ...

    def initialize(self) -> None: ...

    @property
    def __call__(self) -> Callable[..., Any]: ...

    def apply(self, fn: Callable[[Any], object]) -> object: ...


_LINE = "{:>20}  {:>42} {:>15}"
_WIDTH = 80  # characters


@dataclass(slots=True)
class _Row:
    name: str
    shape: str
    params: int = 0
    trainable: int = 0
    shared: int = 0


def _shapes(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return [_shapes(value) for value in values]
    return values.shape if isinstance(values, NDArray) else values


def _holds_arrays(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return all(map(_holds_arrays, values))
    return values is None or isinstance(values, NDArray)


def _shape_text(values: Any) -> str:
    shapes = _shapes(values)
    return str(shapes)[1:-1] if isinstance(shapes, list) else str(shapes)


class _Recorder:
    """Collector of a table row for every block, except plain containers, in order of completion.

    Calls with symbols (for the inference of shapes) are not recorded.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.rows = [_Row("Input", _shape_text(list(inputs)))]
        self._seen: set[int] = set()

    def __call__(self, block: _Layer, inputs: Any, outputs: Any) -> None:  # noqa: ARG002  # a hook
        if not _holds_arrays(outputs):
            return
        row = _Row(f"{type(block).__name__}-{len(self.rows)}", _shape_text(outputs))
        for parameter in block.params.values():
            size = parameter.size
            # Deferred shapes count as 0 until the first call.
            row.params += size
            row.trainable += 0 if parameter.grad_req == "null" else size
            if id(parameter) in self._seen:
                row.shared += size
            self._seen.add(id(parameter))
        self.rows.append(row)


def print_summary(block: _Layer, inputs: Sequence[Any]) -> None:
    """Run ``block`` once, and print one row per layer, and totals.

    If parameters are not initialized, a copy of the block is run, and the block is unchanged.

    Raises:
        BlockError: A descendant is hybridized, so that its layers are not called individually.
    """
    # MXNet needs initialized parameters; a deep copy leaves the user's block as it was.
    if any(p._data is None and not p._deferred_init for p in block.collect_params().values()):
        block = copy.deepcopy(block)
        block.initialize()
    recorder = _Recorder(inputs)
    handles = []

    def attach(child: Any) -> None:
        if getattr(child, "_active", False):
            raise BlockError(
                f'"{child.name}" must not be hybridized to print a summary; '
                "call it before hybridize(), or after hybridize(False)"
            )
        if not child._hy_is_container:
            handles.append(child.register_forward_hook(recorder))

    try:
        # Hooks on every layer; a hybridized block would run as one graph and fire none of them.
        block.apply(attach)
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    print("\n".join(_table_lines(recorder.rows)))  # noqa: T201  # its purpose


def _table_lines(rows: Sequence[_Row]) -> list[str]:
    total = sum(row.params for row in rows)
    trainable = sum(row.trainable for row in rows)
    shared = sum(row.shared for row in rows)
    return [
        "-" * _WIDTH,
        _LINE.format("Layer (type)", "Output Shape", "Param #"),
        "=" * _WIDTH,
        *(_LINE.format(row.name, row.shape, row.params) for row in rows),
        "=" * _WIDTH,
        "Parameters in forward computation graph, duplicate included",
        f"   Total params: {total}",
        f"   Trainable params: {trainable}",
        f"   Non-trainable params: {total - trainable}",
        f"Shared params in forward computation graph: {shared}",
        f"Unique parameters in model: {total - shared}",
        "-" * _WIDTH,
    ]
