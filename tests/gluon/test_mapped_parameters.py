"""Blocks out of files: their parameters are views of the file until somebody writes to them."""

import mmap
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import SymbolBlock, Trainer, nn
from hy_io import save_ndarrays
from hy_io.cli import main as hy_io
from hy_ndarray import NDArray, autograd, nd, use_kernels

_UNITS = 256


def files_of(folder: Path, count: int = 2) -> tuple[str, str]:
    net = nn.HybridSequential()
    with net.name_scope():
        for _ in range(count):
            net.add(nn.Dense(_UNITS, activation="relu", in_units=_UNITS))
    net.initialize("normal")
    net.hybridize()
    net(nd.ones((1, _UNITS)))
    net.export(str(folder / "net"))
    return str(folder / "net-symbol.json"), str(folder / "net-0000.params")


def imported(files: tuple[str, str]) -> SymbolBlock:
    return SymbolBlock.imports(files[0], "data", files[1])


def owner(array: NDArray) -> Any:
    """What the memory of an array belongs to."""
    base: Any = np.asarray(array)
    while isinstance(base, np.ndarray | memoryview):
        base = base.obj if isinstance(base, memoryview) else base.base
    return base


def parameters(block: SymbolBlock) -> list[NDArray]:
    return [parameter.data() for parameter in block.collect_params().values()]


@pytest.mark.parametrize("ending", [".params", ".safetensors"])
def test_imported_parameters_are_views_of_one_map_of_the_file(tmp_path: Path, ending: str) -> None:
    symbol, params = files_of(tmp_path)
    if ending == ".safetensors":
        assert hy_io(["convert", params, str(tmp_path / "net.safetensors")]) == 0
        params = str(tmp_path / "net.safetensors")
    with use_kernels("numpy"):  # whose buffers tell what they are views of
        block = imported((symbol, params))
        owners = [owner(array) for array in parameters(block)]
    assert isinstance(owners[0], mmap.mmap)
    assert all(one is owners[0] for one in owners)
    expected = imported((symbol, str(tmp_path / "net-0000.params")))
    x = nd.random.normal(shape=(2, _UNITS))
    np.testing.assert_array_equal(block(x).asnumpy(), expected(x).asnumpy())


@pytest.mark.parametrize("options", [{}, {"static_alloc": True}])
def test_a_prediction_copies_no_weights(tmp_path: Path, options: dict[str, Any]) -> None:
    block = imported(files_of(tmp_path))
    block.hybridize(True, **options)
    x = nd.ones((1, _UNITS))
    imported(files_of(tmp_path, 1))(x)  # loads what every first call does
    tracemalloc.start()
    try:
        for _ in range(3):
            block(x).wait_to_read()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < _UNITS * _UNITS * 4, "bytes of one of the two weights"


def test_what_is_written_to_parameters_stays_out_of_the_file(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    before = Path(files[1]).read_bytes()
    block, other = imported(files), imported(files)
    x = nd.random.normal(shape=(2, _UNITS))
    expected = other(x).asnumpy()
    trainer = Trainer(block.collect_params(), "sgd", {"learning_rate": 1.0})
    with autograd.record():
        loss = block(x).sum()
    loss.backward()
    trainer.step(1)
    parameters(block)[1][:] = 3
    assert Path(files[1]).read_bytes() == before
    np.testing.assert_array_equal(other(x).asnumpy(), expected)
    assert not np.array_equal(block(x).asnumpy(), expected)


def test_a_block_can_be_exported_to_the_files_that_it_came_from(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    block = imported(files)
    x = nd.random.normal(shape=(2, _UNITS))
    parameters(block)[0][:] = 0.5
    expected = block(x).asnumpy()
    block.export(str(tmp_path / "net"))
    np.testing.assert_array_equal(imported(files)(x).asnumpy(), expected)
    np.testing.assert_array_equal(block(x).asnumpy(), expected)


def test_arrays_that_lie_unaligned_in_the_file_are_copied(tmp_path: Path) -> None:
    symbol, params = files_of(tmp_path, 1)
    odd = {"arg:odd": np.zeros(1, np.uint8)}
    loaded = {
        f"arg:{p.name}": p.data().asnumpy()
        for p in imported((symbol, params)).collect_params().values()
    }
    save_ndarrays(params, odd | loaded)
    block = SymbolBlock.imports(symbol, "data", params, ignore_extra=True)
    for array in parameters(block):
        assert np.asarray(array).flags.aligned
        assert not isinstance(owner(array), mmap.mmap)
