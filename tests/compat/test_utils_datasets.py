"""``mx.test_utils``: iterators over data sets, and where its tools are."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx


def test_a_dummy_iterator_gives_the_first_batch_without_end() -> None:
    real = mx.io.NDArrayIter(mx.nd.arange(6).reshape((3, 2)), mx.nd.arange(3), 1)
    dummy = mx.test_utils.DummyIter(real)
    assert dummy.batch_size == 1
    assert dummy.provide_data == real.provide_data
    assert [next(dummy).data[0].asnumpy().tolist() for _ in range(4)] == [[[0, 1]]] * 4
    dummy.reset()
    assert dummy.next() is dummy.the_batch
    assert next(real).data[0].asnumpy().tolist() == [[2, 3]]


def test_im2rec_is_found_in_the_folder_of_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MXNET_HOME", raising=False)
    own = Path(mx.test_utils.get_im2rec_path())
    assert own.is_file()
    assert own.name == "im2rec.py"
    monkeypatch.setenv("MY_HOME", str(tmp_path))
    with pytest.raises(OSError, match="unset MY_HOME"):
        mx.test_utils.get_im2rec_path("MY_HOME")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "im2rec.py").touch()
    found = mx.test_utils.get_im2rec_path("MY_HOME")
    assert found == str(tmp_path / "tools" / "im2rec.py")


@pytest.mark.parametrize(("shape", "expected"), [((1, 28, 28), (2, 1, 28, 28)), ((784,), (2, 784))])
def test_mnist_is_iterated_from_the_folder_data(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shape: tuple[int, ...],
    expected: tuple[int, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    for name in ("train", "t10k"):
        images = np.arange(4, dtype=np.uint8)[:, None, None] + np.zeros((28, 28), np.uint8)
        head = struct.pack(">IIII", 2051, 4, 28, 28)
        Path("data", f"{name}-images-idx3-ubyte").write_bytes(
            gzip.compress(head + images.tobytes())
        )
        labels = struct.pack(">II", 2049, 4) + bytes(range(4))
        Path("data", f"{name}-labels-idx1-ubyte").write_bytes(labels)
    train, val = mx.test_utils.get_mnist_iterator(2, shape, num_parts=2, part_index=1)
    (batch,) = list(val)
    assert batch.data[0].shape == expected
    assert batch.label[0].asnumpy().tolist() == [2, 3]
    (batch,) = list(train)
    pixels = batch.data[0].asnumpy().reshape(2, -1)[:, 0]
    np.testing.assert_array_equal(batch.label[0].asnumpy(), pixels * 256)
