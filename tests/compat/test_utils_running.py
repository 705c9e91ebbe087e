"""``mx.test_utils``: random arrays, statistics, files of data sets, and how tests are run."""

import bz2
import gzip
import math
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_gluon import utils
from hy_io import FileFormatError, FileLimitError
from mxnet import test_utils as tu


@pytest.fixture(autouse=True)
def _seed() -> None:
    np.random.seed(0)


def test_a_seed_of_numpy_gives_mxnets_shapes_samples_and_places() -> None:
    tu.random_arrays((2, 3))
    np.random.seed(0)
    assert tu.random_sample([1, 2, 3, 4, 5], 3) == [3, 1, 2]
    assert [tu.rand_shape_2d(), tu.rand_shape_2d(3, 4)] == [(4, 4), (2, 4)]
    assert [tu.rand_shape_3d(2, 2, 2), tu.rand_shape_nd(4)] == [(2, 1, 1), (8, 7, 9, 9)]
    assert tu.rand_shape_nd(3, 2, True) == (0, 2, 1)
    assert [tu.rand_coord_2d(0, 5, 0, 5) for _ in range(3)] == [(0, 1), (1, 0), (1, 4)]


def test_random_arrays_have_the_shapes_and_dtypes_asked_for() -> None:
    one = tu.random_arrays((2, 3))
    assert isinstance(one, np.ndarray)
    assert (one.shape, str(one.dtype)) == ((2, 3), "float32")
    np.testing.assert_allclose(one.flat[:3], [1.7640524, 0.4001572, 0.978738], rtol=1e-6)
    assert [each.shape for each in tu.random_arrays((4,), ())] == [(4,), ()]
    (uniform,) = tu.random_uniform_arrays((50,), low=5, high=6, dtype="float16")
    assert uniform.dtype == np.float16
    assert 5 <= uniform.min() < uniform.max() <= 6
    array = tu.rand_ndarray((2, 3), dtype="float64", ctx=mx.cpu(1))
    assert (array.shape, array.dtype, array.context) == ((2, 3), np.float64, mx.cpu(1))
    with pytest.raises(TypeError, match=r"unknown \['dype'\]"):
        tu.random_uniform_arrays((2,), dype="float16")


def test_plain_arrays() -> None:
    assert tu.create_2d_tensor(3, 2).asnumpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert (tu.create_2d_tensor(2, 2).dtype, tu.create_vector(2).dtype) == (np.int64, np.int64)
    assert tu.create_vector(3, np.float32).asnumpy().tolist() == [0, 1, 2]
    assert tu.get_identity_mat(2).asnumpy().tolist() == [[1, 0], [0, 1]]
    assert tu.get_identity_mat_batch(2).asnumpy().tolist() == [[[1, 0], [0, 1]]] * 2


def test_matrices_have_real_eigenvalues() -> None:
    for matrix in tu.new_matrix_with_real_eigvals_nd((5, 4, 4)):
        values = np.linalg.eigvals(matrix)
        assert np.abs(np.imag(values)).max() < 1e-9
        assert np.abs(values).min() > 0.5
    symmetric = tu.new_sym_matrix_with_real_eigvals_nd((2, 3, 3))
    np.testing.assert_array_equal(symmetric, symmetric.transpose(0, 2, 1))
    orthonormal = tu.new_orthonormal_matrix_2d(4)
    np.testing.assert_allclose(orthonormal @ orthonormal.T, np.eye(4), atol=1e-12)
    with pytest.raises(TypeError, match=r"\(2, 3\) are not square"):
        tu.new_matrix_with_real_eigvals_nd((2, 3))


def test_functions_of_each_element() -> None:
    x = np.arange(4.0).reshape(2, 2)
    assert tu.assign_each(x, lambda value: 2 * value).tolist() == [[0, 2], [4, 6]]
    assert tu.assign_each(x, None).tolist() == x.tolist()
    halves = tu.assign_each(np.array([1, 2]), lambda value: value + 0.5)
    assert (halves.dtype.name, halves.tolist()) == ("float64", [1.5, 2.5])
    assert tu.assign_each2(x, x + 1, lambda a, b: a + b).tolist() == [[1, 3], [5, 7]]
    assert tu.assign_each2(np.array([1, 2]), x[0], np.hypot).tolist() == [1.0, np.hypot(2, 1)]
    assert tu.assign_each2(x, x + 1, None).tolist() == x.tolist()


def test_reductions_over_several_axes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert tu.np_reduce(x, (0, 2), True, np.sum).ravel().tolist() == [60, 92, 124]
    assert tu.np_reduce(x, (0, 2), True, np.sum).shape == (1, 3, 1)
    assert tu.np_reduce(x, -2, False, np.max).shape == (2, 4)
    assert tu.np_reduce(x, None, False, np.sum) == 276
    assert tu.collapse_sum_like(np.ones((2, 3, 4)), (3, 1)).tolist() == [[8]] * 3
    with pytest.raises(AssertionError, match=r"\(3, 3\) is not broadcast to \(2, 3\)"):
        tu.collapse_sum_like(np.ones((2, 3)), (3, 3))


def halves(n: int) -> Any:
    """Equal numbers of 0 and 1."""
    return np.arange(n) % 2


def test_samples_are_counted_and_weighed() -> None:
    p, found, expected = tu.chi_square_check(halves, [0, 1], [0.5, 0.5], nsamples=100)
    assert (p, found.tolist(), expected.tolist()) == (1.0, [50, 50], [50, 50])
    p, found, _ = tu.chi_square_check(halves, [0, 1], [0.4, 0.6], nsamples=100)
    assert p == pytest.approx(math.erfc(math.sqrt((100 / 40 + 100 / 60) / 2)))  # 1 degree
    thirds = [(-1, 0.5), (0.5, 1.5), (1.5, 9)]
    p, found, _ = tu.chi_square_check(lambda n: mx.nd.arange(n) % 3, thirds, [0.4, 0.3, 0.3], 90)
    assert found.tolist() == [30, 30, 30]
    assert p == pytest.approx(math.exp(-(36 / 36 + 9 / 27 + 9 / 27) / 2))  # 2 degrees
    with pytest.raises(TypeError, match="2 buckets need as many probs, not 1"):
        tu.chi_square_check(halves, [0, 1], [1.0], nsamples=10)
    with pytest.raises(TypeError, match="all intervals, or all values"):
        tu.chi_square_check(halves, [(0, 1), 2], [0.5, 0.5], nsamples=10)
    with pytest.raises(TypeError, match=r"generator\(10\) gave 9 numbers"):
        tu.mean_check(lambda n: np.zeros(n - 1), 0, 1, nsamples=10)


@pytest.mark.parametrize(
    ("statistic", "degrees", "expected"),
    [(10.0, 5, 0.0752352), (10.0, 4, 0.0404277), (50.0, 59, 0.7914418), (0.1, 1, 0.7518296)],
)
def test_the_probability_of_a_statistic(statistic: float, degrees: int, expected: float) -> None:
    probs = np.full(degrees + 1, 1 / (degrees + 1))
    n = 10_000 * (degrees + 1)
    counts = np.full(degrees + 1, 10_000.0)
    shift = math.sqrt(statistic * 10_000 / 2)  # (shift² + shift²) / 10 000 is the statistic
    counts[0] += round(shift)
    counts[1] -= round(shift)
    samples = np.repeat(np.arange(degrees + 1), counts.astype(int))
    p, _, _ = tu.chi_square_check(lambda _: samples, list(range(degrees + 1)), probs.tolist(), n)
    assert p == pytest.approx(expected, rel=0.03)  # whole numbers of samples


def test_a_generator_is_verified_by_mean_variance_and_buckets() -> None:
    def normal(n: int) -> Any:
        return np.random.normal(0, 1, n)

    def moved(n: int) -> Any:
        return np.random.normal(1, 2, n)

    assert tu.mean_check(normal, 0, 1, 10_000)
    assert tu.var_check(normal, 1, 10_000)
    assert not tu.mean_check(moved, 0, 1, 10_000)
    assert not tu.var_check(moved, 1, 10_000)
    buckets, probs = tu.gen_buckets_probs_with_ppf(lambda q: q, 4)
    assert buckets == [(0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)]
    assert probs == [0.25] * 4
    found = tu.verify_generator(lambda n: np.random.uniform(0, 1, n), buckets, probs, 1000)
    assert len(found) == 5
    with pytest.raises(AssertionError, match="Generator test fails, Chi-square p="):
        tu.verify_generator(lambda n: np.random.uniform(0, 0.9, n), buckets, probs, 1000)


def test_a_test_is_tried_again_while_assertions_fail() -> None:
    calls: list[int] = []

    @tu.retry(3)
    def flaky(needed: int) -> int:
        calls.append(1)
        assert len(calls) >= needed
        return len(calls)

    assert flaky(3) == 3
    calls.clear()
    with pytest.raises(AssertionError):
        flaky(4)
    assert len(calls) == 3
    with pytest.raises(ZeroDivisionError):
        tu.retry(2)(lambda: 1 / 0)()
    with pytest.raises(TypeError, match="n=0 must be 1 or more"):
        tu.retry(0)


def test_variables_have_other_values_in_a_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_B", "x")
    monkeypatch.delenv("HY_A", raising=False)
    with tu.environment("HY_A", "1"), tu.environment({"HY_A": "2", "HY_B": None}):
        assert (os.environ["HY_A"], mx.util.getenv("HY_B")) == ("2", None)
    assert (mx.util.getenv("HY_A"), os.environ["HY_B"]) == (None, "x")
    for wrong in (("HY_A",), ("HY_A", 7), (1, 2)):
        with pytest.raises(TypeError, match="expecting one dict"), tu.environment(*wrong):
            pass


@pytest.mark.slow
def test_nothing_reaches_standard_error() -> None:
    code = (
        "import os, sys; from mxnet.test_utils import discard_stderr\n"
        "with discard_stderr(): print('a', file=sys.stderr); os.write(2, b'b')\n"
        "print('shown', file=sys.stderr)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stderr == "shown\n"


def test_what_kind_of_run_this_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CD_JOB", "1")
    assert tu.is_cd_run()
    monkeypatch.setenv("CD_JOB", "0")
    assert not tu.is_cd_run()
    assert not tu.has_tvm_ops()
    assert tu.is_op_runnable()
    assert list(tu.list_gpus()) == list(range(mx.num_gpus()))


@pytest.fixture
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, where nothing can be fetched."""
    monkeypatch.chdir(tmp_path)

    def refuse(url: str, **_: Any) -> str:
        raise mx.MXNetError(f"no network: {url}")

    monkeypatch.setattr(utils, "download", refuse)


def write_idx(file: str, array: Any, magic: int) -> None:
    head = struct.pack(f">{1 + array.ndim}I", magic, *array.shape)
    Path(file).write_bytes(gzip.compress(head + array.astype("uint8").tobytes()))


@pytest.mark.usefixtures("_in_folder")
def test_mnist_is_read_from_files_in_the_folder() -> None:
    for name, count in (("train", 5), ("t10k", 2)):
        images = np.arange(count * 784).reshape(count, 28, 28) % 256
        write_idx(f"{name}-labels-idx1-ubyte.gz", np.arange(count), 0x801)
        write_idx(f"{name}-images-idx3-ubyte.gz", images, 0x803)
    found = tu.get_mnist()
    assert {name: (array.shape, str(array.dtype)) for name, array in found.items()} == {
        "train_data": ((5, 1, 28, 28), "float32"),
        "train_label": ((5,), "int8"),
        "test_data": ((2, 1, 28, 28), "float32"),
        "test_label": ((2,), "int8"),
    }
    np.testing.assert_allclose(found["train_data"][0, 0, 0, :3], [0, 1 / 255, 2 / 255])
    write_idx("t10k-labels-idx1-ubyte.gz", np.arange(3), 0x801)
    with pytest.raises(mx.MXNetError, match="MNIST, t10k: 3 labels for 2 images"):
        tu.get_mnist()
    write_idx("t10k-labels-idx1-ubyte.gz", np.arange(2), 0x803)
    with pytest.raises(FileFormatError, match="dtype and axes: expected 0x0801"):
        tu.get_mnist()
    Path("t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"\0\0\x08\x01\0\0\0\x09abc"))
    with pytest.raises(FileFormatError, match=r"elements: expected 9 bytes of .* found 3"):
        tu.get_mnist()
    Path("t10k-labels-idx1-ubyte.gz").write_bytes(b"no gzip")
    with pytest.raises(FileFormatError, match="expected an array of IDX, found text"):
        tu.get_mnist()


@pytest.mark.usefixtures("_in_folder")
def test_archives_are_unpacked_and_nothing_is_fetched_twice() -> None:
    Path("data").mkdir()
    with zipfile.ZipFile("data/mnist.zip", "w") as archive:
        for name in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3"):
            archive.writestr(f"{name}-ubyte", name)
        archive.writestr("t10k-labels-idx1-ubyte", "last")
    tu.get_mnist_ubyte()
    assert Path("data/t10k-labels-idx1-ubyte").read_text() == "last"
    Path("data/mnist.zip").unlink()
    tu.get_mnist_ubyte()
    Path("data/mnist.pkl.gz").write_bytes(b"")
    tu.get_mnist_pkl()
    Path("packed.bz2").write_bytes(bz2.compress(b"text"))
    tu.get_bz2_data(".", "plain", "http://host/packed.bz2", "packed.bz2")
    assert Path("plain").read_bytes() == b"text"
    with pytest.raises(mx.MXNetError, match=r"no network: http://data.mxnet.io/.*cifar10.zip"):
        tu.get_cifar10()


@pytest.mark.usefixtures("_in_folder")
def test_archives_that_are_damaged_or_reach_outside_are_refused() -> None:
    Path("bad.zip").write_bytes(b"no zip")
    with pytest.raises(mx.MXNetError, match=r"bad.zip is no zip archive"):
        tu.get_zip_data(".", "http://host/bad.zip", "bad.zip")
    with zipfile.ZipFile("out.zip", "w") as archive:
        archive.writestr("../outside", "x")
    with pytest.raises(mx.MXNetError, match=r"'../outside' would be outside"):
        tu.get_zip_data(".", "http://host/out.zip", "out.zip")
    assert not Path("../outside").exists()
    Path("bad.bz2").write_bytes(b"no bz2")
    with pytest.raises(mx.MXNetError, match=r"bad.bz2 is not compressed by bzip2"):
        tu.get_bz2_data(".", "plain", "http://host/bad.bz2", "bad.bz2")
    Path("cut.bz2").write_bytes(bz2.compress(b"text")[:-4])
    with pytest.raises(mx.MXNetError, match=r"cut.bz2 is not compressed by bzip2"):
        tu.get_bz2_data(".", "plain", "http://host/cut.bz2", "cut.bz2")
    Path("large.bz2").write_bytes(bz2.compress(bytes(1 << 20)))
    with tu.environment("HY_MAX_FILE_EXPANSION", "1000"), pytest.raises(FileLimitError):
        tu.get_bz2_data(".", "plain", "http://host/large.bz2", "large.bz2")
    assert not Path("plain").exists()


def test_files_and_models_are_fetched_to_the_names_of_mxnet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fetched: list[tuple[str, str]] = []

    def fetch(url: str, path: str, overwrite: bool, retries: int) -> str:
        fetched.append((url, path))
        Path(path).write_text(url)
        return path

    monkeypatch.setattr(utils, "download", fetch)
    assert tu.download("http://host/a/b.txt") == "b.txt"
    assert tu.download("http://host/a/b.txt") == "b.txt"
    assert tu.download("http://host/a/b.txt", "c.txt", "sub", overwrite=True) == "sub/c.txt"
    assert [path for _, path in fetched] == ["b.txt", "sub/c.txt"]
    fetched.clear()
    assert tu.download_model("imagenet1k-resnet-18", "dst") == ("dst/imagenet1k-resnet-18", 0)
    folder = "http://data.mxnet.io/models/imagenet/resnet/18-layers/resnet-18"
    assert fetched == [
        (f"{folder}-symbol.json", "dst/imagenet1k-resnet-18-symbol.json"),
        (f"{folder}-0000.params", "dst/imagenet1k-resnet-18-0000.params"),
    ]
    assert tu.download_model("resnet-18") == (None, 0)
    own = {"x": {"symbol": "http://s/x.json", "params": "http://p/x.params"}}
    assert tu.download_model("x", meta_info=own) == ("./x", 0)
