"""Memory of batches is used again when nobody has the batch, and not before."""

import numpy as np

import mxnet as mx
from mxnet.io.buffers import Buffers


def test_memory_is_used_again_when_nothing_refers_to_it() -> None:
    buffers = Buffers((2, 3), np.float32, 4)
    first = buffers.take()
    buffers.keep(first)
    address = first.ctypes.data
    view = first[0]
    del first
    other = buffers.take()
    assert other.ctypes.data != address  # a view is left
    buffers.keep(other)
    del view
    again = buffers.take()
    assert again.ctypes.data == address
    assert again.shape == (2, 3)
    assert again.dtype == np.float32


def test_an_array_of_hy_holds_its_memory() -> None:
    buffers = Buffers((2, 3), np.float32, 4)
    memory = buffers.take()
    memory[...] = 1
    array = mx.nd.from_numpy(memory)
    buffers.keep(memory)
    row = array[1]
    del memory, array
    buffers.take()[...] = 2
    assert row.asnumpy().tolist() == [1, 1, 1]


def test_only_so_many_arrays_are_kept() -> None:
    buffers = Buffers((1,), np.float32, 2)
    arrays = [buffers.take() for _ in range(5)]
    for array in arrays:
        buffers.keep(array)
    addresses = {array.ctypes.data for array in arrays}
    kept = {array.ctypes.data for array in arrays[:2]}
    del arrays, array
    found = {each.ctypes.data for each in [buffers.take(), buffers.take()]}
    assert found == kept < addresses
