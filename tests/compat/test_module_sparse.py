"""Modules with csr data and row_sparse weights, with the numbers of MXNet 1.9.1."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx

SGD = [
    [1.01322, 0.90797],
    [1.02923, 0.93097],
    [1.0, 1.0],
    [0.91538, 1.00582],
    [0.92797, 1.03223],
    [1.0, 1.0],
]
ADAM = [
    [0.93367, 0.9439],
    [1.18298, 0.81481],
    [1.0, 1.0],
    [0.75872, 1.10868],
    [0.8474, 1.15261],
    [1.0, 1.0],
]


def net() -> Any:
    data = mx.sym.var("data", stype="csr")
    weight = mx.sym.var("weight", shape=(6, 2), stype="row_sparse")
    scores = mx.sym.sparse.dot(data, weight) + 0
    shifted = mx.sym.broadcast_add(scores, mx.sym.var("bias", shape=(2,)))
    return mx.sym.SoftmaxOutput(shifted, mx.sym.var("softmax_label"), name="out")


@pytest.fixture
def batches(tmp_path: Path) -> Any:
    file = tmp_path / "rows"
    file.write_text("1 0:1 3:2\n0 1:1\n1 3:-1 4:1\n0 0:2\n", encoding="utf-8")
    return mx.io.LibSVMIter(data_libsvm=str(file), data_shape=(6,), batch_size=2)


def row_ids(batch: Any) -> dict[str, Any]:
    return {"weight": batch.data[0].indices}


@pytest.mark.parametrize("context", [mx.cpu(), [mx.cpu(0), mx.cpu(1)]])
@pytest.mark.parametrize("kvstore", [None, "local"])
@pytest.mark.parametrize(("optimizer", "expected"), [("sgd", SGD), ("adam", ADAM)])
def test_weights_are_trained_by_the_rows_of_batches(
    optimizer: str, expected: list[list[float]], kvstore: str | None, context: Any, batches: Any
) -> None:
    module = mx.mod.Module(net(), context=context)
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.One())
    module.init_optimizer(
        optimizer=mx.optimizer.create(optimizer, learning_rate=0.1, rescale_grad=0.5, wd=0.1),
        kvstore=None if kvstore is None else mx.kv.create(kvstore),
    )
    for _ in range(2):
        for batch in batches:
            module.prepare(batch, sparse_row_id_fn=row_ids)
            module.forward_backward(batch)
            module.update()
        batches.reset()
    weight = module.get_params()[0]["weight"]
    assert weight.stype == "row_sparse"
    np.testing.assert_allclose(weight.asnumpy(), expected, atol=2e-5)


def test_a_sparse_module_is_fitted_scored_and_saved(batches: Any, tmp_path: Path) -> None:
    module = mx.mod.Module(net())
    module.fit(
        batches,
        num_epoch=30,
        optimizer_params={"learning_rate": 0.5},
        initializer=mx.init.Zero(),
        sparse_row_id_fn=row_ids,
    )
    assert module.score(batches, "acc", sparse_row_id_fn=row_ids) == [("accuracy", 1.0)]
    batches.reset()
    assert module.predict(batches, sparse_row_id_fn=row_ids).shape == (4, 2)
    module.save_checkpoint(str(tmp_path / "net"), 1)
    stored = mx.model.load_params(str(tmp_path / "net"), 1)[0]
    assert (stored["weight"].stype, stored["bias"].stype) == ("row_sparse", "default")
    other = mx.mod.Module.load(str(tmp_path / "net"), 1)
    other.bind(batches.provide_data, batches.provide_label, for_training=False)
    assert other.score(batches, "acc") == [("accuracy", 1.0)]
