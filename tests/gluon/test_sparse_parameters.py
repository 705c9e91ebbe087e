"""Row_sparse parameters and gradients: layers, trainers, stores, files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, contrib, nn
from hy_gluon.files import contents_of
from hy_gluon.kvstore import KVStore, KVStoreBase
from hy_gluon.optimizer import create
from hy_gluon.parameter import Parameter
from hy_io import RowSparseArray, load_ndarrays
from hy_ndarray import HyError, IndexingError, autograd, cpu, nd, np as np_of_mxnet
from hy_ndarray.nd import sparse

VALUES = np.arange(10, dtype="float32").reshape(5, 2) / 10 + 0.1


def rows(indices: list[int], values: Any) -> Any:
    return sparse.row_sparse_array((values, indices), shape=(5, 2))


def trained(layer: Any, steps: int = 2, **settings: Any) -> None:
    trainer = Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 0.5}, **settings)
    for _ in range(steps):
        with autograd.record():
            y = layer(nd.array([1, 3, 1]))
        y.backward()
        trainer.step(1)


# What MXNet 1.9.1 makes of ones in two steps; rows that are not looked up do not decay.
TRAINED = np.ones((5, 2), "float32")
TRAINED[1], TRAINED[3] = 0.5125, 0.7075


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("kvstore", ["device", "local", None])
def test_an_embedding_with_a_sparse_gradient_is_trained_lazily(
    kvstore: str | None, hybridized: bool
) -> None:
    layer = nn.Embedding(5, 2, sparse_grad=True)
    layer.initialize("ones")
    if hybridized:
        layer.hybridize()
    trained(layer, kvstore=kvstore)
    np.testing.assert_allclose(layer.weight.data().asnumpy(), TRAINED, rtol=1e-6)
    grad: Any = layer.weight.grad()
    assert (grad.stype, grad.indices.asnumpy().tolist()) == ("row_sparse", [1, 3])
    assert grad.data.asnumpy().tolist() == [[2, 2], [1, 1]]


def test_a_sparse_embedding_reads_and_trains_rows() -> None:
    layer: Any = contrib.nn.SparseEmbedding(5, 2)
    layer.initialize("ones")
    assert repr(layer) == "SparseEmbedding(5 -> 2, float32)"
    trained(layer)
    assert layer(nd.array([[1, 2, 3]])).shape == (1, 3, 2)
    found = layer.weight.row_sparse_data(nd.array([3, 1, 0, 0]))
    assert found.indices.asnumpy().tolist() == [0, 1, 3]
    np.testing.assert_allclose(found.data.asnumpy(), TRAINED[[0, 1, 3]], rtol=1e-6)
    assert layer.weight.grad().indices.asnumpy().tolist() == [1, 3]
    layer.weight.zero_grad()
    assert layer.weight.grad().data.shape == (0, 2)


@pytest.mark.parametrize("kvstore", ["device", "local"])
def test_sparse_parameters_on_several_contexts_are_kept_equal(kvstore: str) -> None:
    layer = contrib.nn.SparseEmbedding(5, 2)
    contexts = [cpu(0), cpu(1)]
    layer.initialize("ones", ctx=contexts)
    settings = {"learning_rate": 0.1, "wd": 0.5}
    trainer = Trainer(layer.collect_params(), "sgd", settings, kvstore=kvstore)
    for _ in range(2):
        with autograd.record():
            ys = [layer(nd.array([1, k], ctx=c)) for k, c in zip((3, 1), contexts, strict=True)]
        autograd.backward(ys)
        trainer.step(1)
    wanted = np.ones((5, 2), "float32")
    wanted[3] = 0.7075
    wanted[1] = (1 * 0.95 - 0.3) * 0.95 - 0.3
    for context in contexts:
        found = layer.weight.row_sparse_data(nd.arange(5, ctx=context))
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
    assert len(layer.weight.list_row_sparse_data(nd.array([1]))) == 2


def made(stype: str) -> Parameter:
    parameter = Parameter("w", shape=(5, 2), stype=stype, grad_stype="row_sparse")
    parameter.initialize()
    return parameter


def test_what_the_storage_of_a_parameter_does_not_offer_is_refused() -> None:
    for method in ("data", "list_data"):
        with pytest.raises(
            RuntimeError, match=r"storage type is row_sparse. Please use row_sparse"
        ):
            getattr(made("row_sparse"), method)()
    for method in ("row_sparse_data", "list_row_sparse_data"):
        with pytest.raises(RuntimeError, match=r"its storage type is default. Please use data\(\)"):
            getattr(made("default"), method)(nd.array([1]))


def test_rows_are_read_of_a_parameter_with_a_trainer_and_it_has_one_alone() -> None:
    parameter = made("row_sparse")
    for read in (parameter.row_sparse_data, parameter.list_row_sparse_data):
        with pytest.raises(RuntimeError, match="'w' when no Trainer is created with it"):
            read(nd.array([0]))
    trainer = Trainer([parameter], "sgd")
    assert parameter.row_sparse_data(nd.array([0])).shape == (5, 2)
    del trainer
    with pytest.raises(RuntimeError, match="trainer for Parameter 'w' because it was already set"):
        Trainer([parameter], "sgd")
    dense = made("default")
    trainers = [Trainer([dense], "sgd") for _ in range(2)]
    assert dense._trainer is trainers[1]


def test_a_sparse_parameter_takes_values_dtypes_and_files(tmp_path: Path) -> None:
    layer = contrib.nn.SparseEmbedding(5, 2)
    layer.initialize()
    Trainer(layer.collect_params(), "sgd")
    layer.weight.set_data(nd.array(VALUES))
    layer.cast("float64")
    assert layer.weight.row_sparse_data(nd.array([1])).dtype is np.float64
    layer.cast("float32")
    file = str(tmp_path / "net.params")
    layer.save_parameters(file)
    other = contrib.nn.SparseEmbedding(5, 2)
    other.load_parameters(file)
    Trainer(other.collect_params(), "sgd")
    found = other.weight.row_sparse_data(nd.arange(5))
    np.testing.assert_allclose(found.asnumpy(), VALUES, rtol=1e-6)
    assert other.weight.grad().stype == "row_sparse"


def test_a_sparse_parameter_is_written_as_it_is_stored(tmp_path: Path) -> None:
    layer = contrib.nn.SparseEmbedding(5, 2)
    layer.initialize()
    layer.save_parameters(str(tmp_path / "block"))
    layer.collect_params().save(str(tmp_path / "dictionary"))
    layer.save(str(tmp_path / "model"))
    for name in ("block", "dictionary", "model-model.params"):
        arrays: Any = load_ndarrays(tmp_path / name)
        (found,) = arrays.values()
        assert isinstance(found, RowSparseArray)
        assert found.indices.tolist() == [0, 1, 2, 3, 4]


def test_beside_an_array_without_axes_a_sparse_one_is_written_dense() -> None:
    found = contents_of({"rows": rows([1], [[1, 2]]), "number": np_of_mxnet.array(3)})
    assert {name: array.shape for name, array in found.items()} == {"rows": (5, 2), "number": ()}


def test_the_variable_of_a_sparse_parameter_says_its_storage() -> None:
    assert made("row_sparse").var().attr("__storage_type__") == "1"


# --- stores -----------------------------------------------------------------------------------


def stored(stype: str = "row_sparse") -> KVStoreBase:
    store = KVStore("local")
    store.init("w", nd.array(VALUES).tostype(stype))
    return store


def test_rows_are_pulled_from_a_store() -> None:
    store: Any = stored()
    outs: list[Any] = [nd.zeros((5, 2), stype="row_sparse") for _ in range(2)]
    store.row_sparse_pull("w", out=outs, row_ids=[nd.array([3, 1, 3]), nd.array([0])])
    assert [x.indices.asnumpy().tolist() for x in outs] == [[1, 3], [0]]
    np.testing.assert_array_equal(outs[0].data.asnumpy(), VALUES[[1, 3]])
    with pytest.raises(IndexingError, match=r"row_ids from 1 to 5 of an array \(5, 2\)"):
        store.row_sparse_pull("w", out=outs[0], row_ids=nd.array([1, 5]))


def test_pull_leaves_sparse_arrays_out_unless_asked() -> None:
    store: Any = stored()
    out: Any = nd.zeros((5, 2), stype="row_sparse")
    store.pull("w", out=out)
    assert out.data.shape == (0, 2)
    store.pull("w", out=out, ignore_sparse=False)
    np.testing.assert_array_equal(out.asnumpy(), VALUES)


def test_pushed_rows_are_summed_and_replace_what_is_kept() -> None:
    store: Any = stored()
    store.push("w", [rows([1], [[1, 1]]), rows([1, 2], [[1, 1], [2, 2]])])
    out: Any = nd.zeros((5, 2), stype="row_sparse")
    store.pull("w", out=out, ignore_sparse=False)
    assert out.indices.asnumpy().tolist() == [1, 2]
    assert out.data.asnumpy().tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("stype", ["row_sparse", "default"])
def test_an_optimizer_on_a_store_steps_by_pushed_rows(stype: str) -> None:
    store: Any = stored(stype)
    store.set_optimizer(create("sgd", learning_rate=1.0, wd=0.5))
    store.push("w", rows([1], [[1, 1]]))
    out: Any = nd.zeros((5, 2))
    store.pull("w", out=out, ignore_sparse=False)
    wanted = VALUES.copy()
    wanted[1] = [-0.85, -0.8]
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-6)


def test_errors_of_storage_are_of_the_tree() -> None:
    with pytest.raises(HyError):
        made("row_sparse").data()


# --- hybridized -------------------------------------------------------------------------------


def looked_up(twice: bool, hybridized: bool, **options: bool) -> tuple[Any, Any]:
    """Weight and loss of an embedding, read once or twice, that was trained for some steps."""
    net: Any = nn.HybridSequential()
    table = nn.Embedding(7, 3, sparse_grad=True)
    if twice:
        again = nn.Embedding(7, 3, sparse_grad=True, params=table.params)
        net = contrib.nn.HybridConcurrent()
        net.add(again)
    net.add(table)
    net.initialize("ones")
    if hybridized:
        net.hybridize(**options)
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.1, "wd": 0.1})
    loss: Any = None
    for k in range(4):
        with autograd.record():
            loss = (net(nd.array([[1, k, 2], [1, 6, 3]])) ** 2).sum()
        loss.backward()
        trainer.step(1)
    return table.weight, loss


@pytest.mark.parametrize("options", [{}, {"static_alloc": True, "static_shape": True}])
@pytest.mark.parametrize("twice", [False, True])
def test_a_hybridized_embedding_is_trained_as_it_is_without(
    twice: bool, options: dict[str, bool]
) -> None:
    plain, loss = looked_up(twice, False)
    weight, traced = looked_up(twice, True, **options)
    assert weight.grad().stype == plain.grad().stype == "row_sparse"
    assert weight.grad().indices.asnumpy().tolist() == [1, 2, 3, 6]
    np.testing.assert_allclose(weight.data().asnumpy(), plain.data().asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(traced.asnumpy(), loss.asnumpy(), rtol=1e-5)


def test_the_gradient_of_a_hybridized_embedding_is_differentiated_again() -> None:
    layer = nn.Embedding(5, 2, sparse_grad=True)
    layer.initialize("ones")
    layer.hybridize()
    weight: Any = layer.weight.data()
    with autograd.record():
        y = (layer(nd.array([1, 3])) ** 3).sum()
        (first,) = autograd.grad(y, [weight], create_graph=True)
        z = (first * first).sum()
    z.backward()
    assert layer.weight.grad().asnumpy()[:, 0].tolist() == [0, 36, 0, 36, 0]


@pytest.mark.parametrize("kind", [ValueError, TypeError])
@pytest.mark.parametrize("settings", [{"kvstore": None}, {"update_on_kvstore": False}])
def test_rows_are_not_trained_without_a_store_that_updates(
    settings: dict[str, Any], kind: type[Exception]
) -> None:
    layer: Any = contrib.nn.SparseEmbedding(5, 2)
    layer.initialize("ones")
    with pytest.raises(kind, match=f"{next(iter(settings))}=.*stype='row_sparse'"):
        trained(layer, **settings)
