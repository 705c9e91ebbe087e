"""Products of sparse matrices, and steps by the rows of a large embedding."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mxnet import autograd, gluon, nd

Call: TypeAlias = Callable[[], Any]
ROWS, COLUMNS, STORED, WIDTH = 1000, 100_000, 50, 64
WORDS, READ = 1_000_000, 1000


def _matrix() -> Any:
    random = np.random.RandomState(0)
    counts = random.poisson(STORED, ROWS)
    columns = np.concatenate([np.sort(random.choice(COLUMNS, n, replace=False)) for n in counts])
    pointers = np.concatenate([[0], np.cumsum(counts)])
    values = random.standard_normal(len(columns)).astype("float32")
    return nd.sparse.csr_matrix((values, columns, pointers), shape=(ROWS, COLUMNS))


def _values(*shape: int) -> Any:
    return nd.array(np.random.RandomState(1).standard_normal(shape).astype("float32"))


def sparse_dot() -> Call:
    """A csr matrix of 1000 rows, 100,000 columns and about 50 elements a row, by one of 64."""
    a, b = _matrix(), _values(COLUMNS, WIDTH)
    return lambda: nd.sparse.dot(a, b).wait_to_read()


def sparse_dot_gradient() -> Call:
    """The row_sparse gradient of the same product."""
    a, dy = _matrix(), _values(ROWS, WIDTH)
    return lambda: nd.sparse.dot(a, dy, transpose_a=True).wait_to_read()


def _steps(optimizer: str) -> Call:
    """Training of an embedding of a million words by a thousand of them."""
    net = gluon.nn.Embedding(WORDS, WIDTH, sparse_grad=True)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.01})
    words = nd.array(np.random.RandomState(2).choice(WORDS, READ, replace=False))

    def call() -> None:
        with autograd.record():
            y = net(words)
        y.backward()
        trainer.step(1)
        nd.waitall()

    return call


def sparse_sgd() -> Call:
    """A step of SGD on an embedding of 1,000,000 x 64 by 1,000 rows."""
    return _steps("sgd")


def sparse_adam() -> Call:
    """A step of Adam on the same."""
    return _steps("adam")


SPARSE = (sparse_dot, sparse_dot_gradient, sparse_sgd, sparse_adam)
