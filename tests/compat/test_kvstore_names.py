"""``mx.kv``: the names and calls of MXNet's stores."""

import importlib

import pytest

import hy_gluon
import mxnet as mx


@pytest.mark.parametrize("path", ["mxnet.kv", "mxnet.kvstore"])
def test_both_paths_are_the_stores_of_gluon(path: str) -> None:
    assert importlib.import_module(path) is hy_gluon.kvstore
    assert mx.kv is mx.kvstore is hy_gluon.kvstore


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("base", "KVStoreBase"),
        ("base", "create"),
        ("base", "TestStore"),
        ("kvstore", "KVStore"),
        ("kvstore_server", "KVStoreServer"),
    ],
)
def test_modules_of_stores_have_mxnets_names(path: str, name: str) -> None:
    assert hasattr(importlib.import_module(f"mxnet.kvstore.{path}"), name)


def test_the_lines_of_mxnets_tutorial() -> None:
    kv = mx.kv.create("local")
    shape = (2, 3)
    kv.init(3, mx.nd.ones(shape) * 2)
    a = mx.nd.zeros(shape)
    kv.pull(3, out=a)
    assert (a.asnumpy() == 2).all()
    contexts = [mx.cpu(i) for i in range(4)]
    kv.push(3, [mx.nd.ones(shape, ctx=ctx) for ctx in contexts])
    kv.pull(3, out=a)
    assert (a.asnumpy() == 4).all()

    def update(key: int, value: mx.nd.NDArray, stored: mx.nd.NDArray) -> None:
        stored += value * 2

    kv._set_updater(update)
    kv.push(3, mx.nd.ones(shape))
    kv.pull(3, out=a)
    assert (a.asnumpy() == 6).all()
    keys = [5, 7, 9]
    kv.init(keys, [mx.nd.ones(shape)] * len(keys))
    b = [[mx.nd.ones(shape, ctx=ctx) for ctx in contexts] for _ in keys]
    kv.push(keys, b)
    kv.pull(keys, out=b)
    assert (b[1][1].asnumpy() == 9).all()
