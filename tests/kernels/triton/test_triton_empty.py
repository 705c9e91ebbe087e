"""Of empty arrays every kernel of the Triton table gives what numpy's gives, by whatever path."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd, use_kernels


def ones(like: Any, *shape: int) -> Any:
    """An array of the dtype of another."""
    return nd.ones(shape, dtype=like.dtype)


ROWS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: nd.sum(x, axis=0),
    "sum of all": nd.sum,
    "sum over nothing else": lambda x: nd.sum(x, axis=1),
    "mean": lambda x: nd.mean(x, axis=1),
    "max": lambda x: nd.max(x, axis=1),
    "norm": lambda x: nd.norm(x, axis=0),
    "argmax": lambda x: nd.argmax(x, axis=1),
    "softmax": nd.softmax,
    "log_softmax": lambda x: nd.log_softmax(x, axis=0),
    "layer_norm": lambda x: nd.LayerNorm(x, ones(x, 3), ones(x, 3)),
    "batch_norm": lambda x: nd.BatchNorm(x, ones(x, 3), ones(x, 3), ones(x, 3), ones(x, 3)),
    "dense": lambda x: nd.FullyConnected(x, ones(x, 4, 3), num_hidden=4, no_bias=True),
    "dot": lambda x: nd.dot(x, ones(x, 3, 2)),
    "dot along what is empty": lambda x: nd.dot(x, ones(x, 0, 2), transpose_a=True),
    "embedding": lambda x: nd.Embedding(x, ones(x, 5, 2), input_dim=5, output_dim=2),
    "dropout": lambda x: nd.Dropout(x, p=0.5),
    "pooling": lambda x: nd.Pooling(x.reshape((0, 3, 4, 4)), kernel=(2, 2), pool_type="max"),
    "prelu": lambda x: nd.LeakyReLU(x, ones(x, 3), act_type="prelu"),
    "where": lambda x: nd.where(x, x, x + 1),
    "sum of many": lambda x: nd.add_n(x, x, x),
    "gelu": lambda x: nd.LeakyReLU(x, act_type="gelu"),
    "broadcast": lambda x: nd.broadcast_add(x, ones(x, 1, 3)),
    "cast": lambda x: x.astype("int32"),
}


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("name", ROWS)
def test_nothing_gives_what_it_gives_on_numpy_s_table(name: str, dtype: str) -> None:
    found = {}
    for table in ("triton", "numpy"):
        with use_kernels(table), np.errstate(all="ignore"):
            y = ROWS[name](nd.empty((0, 3), dtype=dtype))
            found[table] = y.asnumpy()
    ours, theirs = found["triton"], found["numpy"]
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_array_equal(ours, theirs)
