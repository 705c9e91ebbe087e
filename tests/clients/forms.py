"""The ways in which users run a block; all have to give what the plain call gives."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from tests.clients.fingerprints import arrays

__all__ = ["in_all_forms"]

ROUNDING = 1e-4
"""Relative to the largest magnitude: a thousand sums of float32, in another order."""


def in_all_forms(net: Any, *inputs: Any, exported: bool = True) -> Any:
    """What `net` gives for `inputs`, eagerly; hybridized, static and imported it gave the same."""
    eager = computed(net, inputs)
    net.hybridize()
    for _ in range(2):
        compare("hybridized", computed(net, inputs), eager)
    net.hybridize(static_alloc=True, static_shape=True)
    for _ in range(2):
        compare("static", computed(net, inputs), eager)
    if exported:
        flat = flattened(inputs)
        compare("imported", computed(reimported(net, len(flat)), flat), eager)
    return eager


def computed(net: Any, inputs: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays that a block gives, as numpy's."""
    return [*arrays(net(*copied(inputs)))]


def copied(value: Any) -> Any:
    """The same arrays in new lists: some blocks put states in the place of those they got."""
    return type(value)(map(copied, value)) if isinstance(value, list | tuple) else value


def flattened(value: Any) -> list[Any]:
    """The arrays of nested lists, in order."""
    if isinstance(value, list | tuple):
        return [one for part in value for one in flattened(part)]
    return [] if value is None else [value]


def reimported(net: Any, count: int) -> Any:
    """The block as its exported files say it."""
    names = ["data"] if count == 1 else [f"data{i}" for i in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        net.export(str(path), epoch=0)
        return mx.gluon.SymbolBlock.imports(f"{path}-symbol.json", names, f"{path}-0000.params")


def compare(form: str, got: list[Any], wanted: list[Any]) -> None:
    """Raise where results differ."""
    assert len(got) == len(wanted), f"{form}: {len(got)} outputs, eagerly {len(wanted)}"
    for i, (one, other) in enumerate(zip(got, wanted, strict=True)):
        assert one.shape == other.shape, f"{form}: output {i} is {one.shape}, not {other.shape}"
        scale = np.abs(other).max(initial=0)
        np.testing.assert_allclose(one, other, rtol=0, atol=ROUNDING * scale, err_msg=form)
