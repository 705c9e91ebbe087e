"""Blocks that are called with sparse arrays: hybridized, as they are, and as graphs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, nn
from hy_ndarray import NDArray, autograd, nd
from hy_symbol import sym

VALUES = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], dtype="float32")


def csr() -> NDArray:
    return nd.array(VALUES).tostype("csr")


class Product(HybridBlock):
    """``x · w``."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.w = self.params.get("w", shape=(3, 2), init="ones")

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return F.sparse.dot(x, w)


def results(net: HybridBlock) -> list[tuple[str, list[Any]]]:
    """The storage and values of the output, of the gradient, and of an output for dense input."""
    with autograd.record():
        y = net(csr())
    y.backward()
    grads: list[Any] = [p.grad() for p in net.collect_params().values()]
    arrays: list[NDArray] = [y, *grads, net(csr()), net(nd.array(VALUES))]
    return [(array.stype, array.asnumpy().tolist()) for array in arrays]


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("made", [Product, lambda: nn.Dense(2, weight_initializer="ones")])
def test_a_hybridized_block_takes_csr_arrays_as_it_does_otherwise(made: Any, static: bool) -> None:
    net = made()
    net.initialize()
    wanted = results(net)
    net.hybridize(static_alloc=static)
    assert results(net) == wanted


def test_an_imported_block_takes_csr_arrays(tmp_path: Path) -> None:
    net = Product()
    net.initialize()
    net.hybridize()
    wanted = net(csr())
    net.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")
    again = SymbolBlock.imports(files[0], ["data"], files[1])
    found = again(csr())
    assert (found.stype, found.asnumpy().tolist()) == ("default", wanted.asnumpy().tolist())


def test_operators_keep_the_storage_in_a_hybridized_block() -> None:
    class Net(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.abs(x), F.sum(x, axis=1)

    net = Net()
    net.hybridize()
    kept, sums = net(csr())
    assert (kept.stype, sums.stype) == ("csr", "default")
    np.testing.assert_array_equal(kept.asnumpy(), VALUES)
    np.testing.assert_array_equal(sums.asnumpy(), [3, 0, 3])


def test_a_loop_takes_the_elements_of_a_csr_array() -> None:
    x, s = sym.var("x"), sym.var("s")
    out, states = sym.contrib.foreach(lambda row, s: (row * 2, s + row), x, s)
    net = SymbolBlock(sym.Group([out, states]), [x, s])
    doubled, total = net(csr(), nd.zeros((3,)))
    np.testing.assert_array_equal(doubled.asnumpy(), VALUES * 2)
    np.testing.assert_array_equal(total.asnumpy(), VALUES.sum(0))
