"""Programs whose gradients are sparse: no dense array of the weight's size is made."""

from typing import Any

import pytest

from hy_ndarray import NDArray, cpu, device_of, nd
from hy_symbol import Symbol, sym
from hy_symbol.execution.differentiable import Differentiable


def embedded(data: Any, weight: Symbol, **params: Any) -> Any:
    return sym.Embedding(data, weight, input_dim=5, output_dim=2, **params)


def differentiated(net: Symbol) -> tuple[Differentiable, tuple[Any, ...]]:
    """Its programs, and the gradient of the weight for indices 1, 3 and 1."""
    arrays = {"d": nd.array([1, 3, 1]), "w": nd.ones((5, 2))}
    names = net.list_arguments()
    both = Differentiable.of(net.graph, [names.index("w")], device_of(cpu()), is_train=True)
    buffers = [arrays[name].buffer for name in names]
    outputs, saved = both.run(buffers)
    heads = [nd.ones(tuple(output.shape)).buffer for output in outputs]
    return both, both.gradients(heads, buffers, saved, last=True)


@pytest.mark.parametrize("behind", [False, True])
def test_the_rows_of_a_gradient_are_made_behind_the_program(behind: bool) -> None:
    net = embedded(sym.var("d"), sym.var("w"), sparse_grad=True)
    both, (found,) = differentiated(net * 3 if behind else net)
    assert isinstance(found, NDArray)
    sparse: Any = found
    assert (sparse.stype, sparse.indices.asnumpy().tolist()) == ("row_sparse", [1, 3])
    assert sparse.data.asnumpy()[:, 0].tolist() == ([6, 3] if behind else [2, 1])
    assert "_take_backward" not in [step.op.name for step in both.backward.steps if step.op]


@pytest.mark.parametrize("kind", ["dense", "computed indices", "read twice"])
def test_other_gradients_are_dense(kind: str) -> None:
    data, weight = sym.var("d"), sym.var("w")
    if kind == "dense":
        net = embedded(data, weight)
    elif kind == "computed indices":
        net = embedded(data + 0, weight, sparse_grad=True)
    else:
        net = embedded(data, weight, sparse_grad=True) + embedded(data, weight, sparse_grad=True)
    _, (found,) = differentiated(net)
    assert not isinstance(found, NDArray)
    wanted = 2 if kind == "read twice" else 1
    assert found[:, 0].tolist() == [0, 2 * wanted, 0, wanted, 0]
