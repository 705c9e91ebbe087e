"""Whatever opens a file raises ``mx.MXNetError``, and Python's class of the same fault."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from mxnet.contrib import text

BOX = [2, 5, 0, 0.1, 0.1, 0.5, 0.5]


def _net() -> mx.gluon.nn.Dense:
    net = mx.gluon.nn.Dense(2, in_units=2)
    net.initialize()
    return net


def _trainer() -> mx.gluon.Trainer:
    return mx.gluon.Trainer(_net().collect_params(), "sgd")


def _store() -> Any:
    store = mx.kv.create("local")
    store.set_optimizer(mx.optimizer.SGD())
    return store


READERS: dict[str, Callable[[str], Any]] = {
    "nd.load": mx.nd.load,
    "npx.load": mx.npx.load,
    "sym.load": mx.sym.load,
    "load_parameters": lambda path: mx.gluon.nn.Dense(2).load_parameters(path),
    "ParameterDict.load": lambda path: mx.gluon.ParameterDict().load(path),
    "imports": lambda path: mx.gluon.SymbolBlock.imports(path, ["data"]),
    "Trainer.load_states": lambda path: _trainer().load_states(path),
    "load_optimizer_states": lambda path: _store().load_optimizer_states(path),
    "load_checkpoint": lambda path: mx.model.load_checkpoint(path, 0),
    "load_params": lambda path: mx.model.load_params(path, 0),
    "Module.load": lambda path: mx.mod.Module.load(path, 0),
    "FeedForward.load": lambda path: mx.model.FeedForward.load(path, 0),
    "MXRecordIO": lambda path: mx.recordio.MXRecordIO(path, "r").read(),
    "MXIndexedRecordIO": lambda path: mx.recordio.MXIndexedRecordIO(path, path, "r"),
    "RecordFileDataset": mx.gluon.data.RecordFileDataset,
    "ImageRecordDataset": mx.gluon.data.vision.ImageRecordDataset,
    "imread": mx.image.imread,
    "ImageIter, records": lambda path: next(mx.image.ImageIter(1, (3, 4, 4), path_imgrec=path)),
    "ImageIter, list": lambda path: mx.image.ImageIter(1, (3, 4, 4), path_imglist=path),
    "ImageIter, image": lambda path: next(mx.image.ImageIter(1, (3, 4, 4), imglist=[[0, path]])),
    "ImageDetIter": lambda path: next(mx.image.ImageDetIter(1, (3, 4, 4), imglist=[[BOX, path]])),
    "CSVIter": lambda path: mx.io.CSVIter(data_csv=path, data_shape=(2,), batch_size=1),
    "LibSVMIter": lambda path: mx.io.LibSVMIter(data_libsvm=path, data_shape=(2,), batch_size=1),
    "MNISTIter": lambda path: mx.io.MNISTIter(image=path, label=path),
    "ImageRecordIter": lambda path: mx.io.ImageRecordIter(
        path_imgrec=path, data_shape=(3, 4, 4), batch_size=1
    ),
    "ImageDetRecordIter": lambda path: mx.io.ImageDetRecordIter(
        path_imgrec=path, data_shape=(3, 4, 4), batch_size=1
    ),
}
WRITERS: dict[str, Callable[[str], Any]] = {
    "nd.save": lambda path: mx.nd.save(path, [mx.nd.ones(1)]),
    "npx.save": lambda path: mx.npx.save(path, mx.np.ones(1)),
    "sym.save": lambda path: mx.sym.var("x").save(path),
    "save_parameters": lambda path: _net().save_parameters(path),
    "Trainer.save_states": lambda path: _trainer().save_states(path),
    "save_optimizer_states": lambda path: _store().save_optimizer_states(path),
    "save_checkpoint": lambda path: mx.model.save_checkpoint(path, 1, mx.sym.var("x"), {}, {}),
    "MXRecordIO": lambda path: mx.recordio.MXRecordIO(path, "w"),
    "MXIndexedRecordIO": lambda path: mx.recordio.MXIndexedRecordIO(path, path, "w"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_a_missing_file_is_an_error_of_both_classes(name: str) -> None:
    with pytest.raises(mx.MXNetError, match="missing") as caught:
        READERS[name]("missing")
    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_an_mxnet_error(name: str) -> None:
    for path in ("damaged", "damaged.idx", "damaged-symbol.json", "damaged-0000.params"):
        Path(path).write_bytes(b"this is no file of any format")
    with pytest.raises(mx.MXNetError):
        READERS[name]("damaged")


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_folder_is_an_error_of_both_classes(name: str) -> None:
    with pytest.raises(mx.MXNetError, match="missing") as caught:
        WRITERS[name]("missing/x")
    assert isinstance(caught.value, FileNotFoundError)


def test_a_folder_in_place_of_a_file_is_an_error_of_both_classes() -> None:
    Path("folder").mkdir()
    for refused in (mx.nd.load, mx.image.imread, WRITERS["MXRecordIO"]):
        with pytest.raises(mx.MXNetError) as caught:
            refused("folder")
        assert isinstance(caught.value, IsADirectoryError)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_an_error_of_both_classes() -> None:
    Path("x").touch(mode=0)
    with pytest.raises(mx.MXNetError) as caught:
        mx.nd.load("x")
    assert isinstance(caught.value, PermissionError)


def test_an_image_that_is_none_is_an_mxnet_error() -> None:
    with pytest.raises(mx.MXNetError, match="expected a whole image"):
        mx.image.imdecode(b"nothing")


def test_a_file_of_no_vectors_is_an_mxnet_error() -> None:
    Path("x").write_text("token without numbers\n", encoding="utf-8")
    for path in ("x", "missing"):
        with pytest.raises(mx.MXNetError):
            text.embedding.CustomEmbedding(path)


def test_misused_records_are_mxnet_errors() -> None:
    with pytest.raises(mx.MXNetError, match="flag must be"):
        mx.recordio.MXRecordIO("x", "a")
    records = mx.recordio.MXRecordIO("x", "w")
    with pytest.raises(mx.MXNetError, match="opened with flag 'w'"):
        records.read()
    records.close()
