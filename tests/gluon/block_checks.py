"""What must hold for every block: eager, hybrid, static and reimported are the same."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon import HybridBlock, SymbolBlock
from hy_ndarray import NDArray, autograd, nd, random
from tests.gluon.layer_case import LayerCase, arrays, filled

__all__ = ["assert_equal", "check_gradient", "check_ways", "prepared", "run"]

Result = dict[str, npt.NDArray[Any]]


def prepared(case: LayerCase, rng: np.random.Generator) -> tuple[HybridBlock, list[Any]]:
    """The block of a row with random float64 parameters, and its inputs."""
    block = case.make()
    block.initialize()
    block.cast("float64")
    inputs = arrays(case, rng)
    block(*inputs)  # shapes of parameters
    return filled(block, rng), inputs


def run(block: HybridBlock, inputs: list[Any], *, is_train: bool) -> Result:
    """Output, gradients and auxiliary states after one forward and backward pass."""
    random.seed(3)
    given = [x for x in inputs if x is not None]
    with autograd.record(train_mode=is_train):
        y = block(*inputs)
    head = nd.array(np.random.default_rng(5).normal(size=y.shape), dtype="float64")
    found = {"output": y.asnumpy()}
    if y.in_graph:
        y.backward(head, train_mode=is_train)
        found |= {f"input {i}": x.grad.asnumpy() for i, x in enumerate(given) if x.grad is not None}
    for name, parameter in block.collect_params().items():
        learned = parameter.grad_req != "null"
        found[name] = (parameter.grad() if learned else parameter.data()).asnumpy()
    return found


def assert_equal(found: Result, expected: Result, what: str) -> None:
    """Every array is the same, up to the order of float64 additions."""
    assert found.keys() == expected.keys(), what
    for name, value in expected.items():
        np.testing.assert_allclose(
            found[name], value, rtol=1e-9, atol=1e-12, err_msg=f"{what}: {name}"
        )


def check_ways(case: LayerCase, is_train: bool, rng: np.random.Generator, folder: Path) -> None:
    """Eager, hybrid, static, and exported and imported again, give the same numbers."""
    block, inputs = prepared(case, rng)
    states = {name: p.data().copy() for name, p in block.collect_params().items()}

    def restored() -> HybridBlock:
        for name, parameter in block.collect_params().items():
            parameter.set_data(states[name])
        return block

    eager = run(restored(), inputs, is_train=is_train)
    for alloc, shape in ((False, False), (True, False), (True, True)):
        block.hybridize(static_alloc=alloc, static_shape=shape)
        for _ in range(3 if shape else 2):  # traced, lowered, compiled
            again = run(restored(), inputs, is_train=is_train)
            assert_equal(again, eager, f"static_alloc={alloc}, static_shape={shape}")
    given = [x for x in inputs if x is not None]
    imported = _reimported(restored(), inputs, folder)
    assert_equal(run(imported, given, is_train=is_train), eager, "imported")


def _reimported(block: HybridBlock, inputs: list[Any], folder: Path) -> HybridBlock:
    with autograd.predict_mode():
        block(*inputs)
    symbol_file, params_file = block.export(str(folder / "block"))
    given = [x for x in inputs if x is not None]
    names = ["data"] if len(given) == 1 else [f"data{i}" for i in range(len(given))]
    loaded = SymbolBlock.imports(symbol_file, names, params_file)
    learned = {name for name, p in block.collect_params().items() if p.grad_req != "null"}
    for name, parameter in loaded.collect_params().items():
        parameter.grad_req = "write" if name in learned else "null"
    return loaded


def check_gradient(case: LayerCase, is_train: bool, rng: np.random.Generator) -> None:
    """The gradient in a random direction is a central difference, in float64."""
    block, inputs = prepared(case, rng)
    places = [x for x in inputs if x is not None and x.grad is not None]
    params = [p for p in block.collect_params().values() if p.grad_req != "null"]
    states = [(p, p.data().copy()) for p in block.collect_params().values() if p.grad_req == "null"]
    places += [p.data() for p in params]
    if not places:
        return
    values = [x.asnumpy().copy() for x in places]
    directions = [rng.normal(size=value.shape) for value in values]
    heads: list[npt.NDArray[Any]] = []

    def total(step: float) -> float:
        for place, value, direction in zip(places, values, directions, strict=True):
            place[:] = nd.array(value + step * direction, dtype="float64")
        for parameter, state in states:
            parameter.set_data(state)
        random.seed(3)
        with autograd.record(train_mode=is_train):
            y = block(*inputs)
        if not heads:
            heads.append(rng.normal(size=y.shape))
        if step == 0:
            y.backward(nd.array(heads[0], dtype="float64"), train_mode=is_train)
        return float((y.asnumpy() * heads[0]).sum())

    total(0.0)
    gradients = [place.grad for place in places]
    slope = sum(
        float((gradient.asnumpy() * direction).sum())
        for gradient, direction in zip(gradients, directions, strict=True)
        if isinstance(gradient, NDArray)
    )
    eps = 1e-5
    difference = (total(eps) - total(-eps)) / (2 * eps)
    np.testing.assert_allclose(slope, difference, rtol=2e-5, atol=1e-7)
