"""``file://`` addresses, lists and folders of files, wherever a file name is taken."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib import text


@pytest.fixture(autouse=True)
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return tmp_path.as_uri() + "/"


def dense() -> mx.gluon.nn.Dense:
    net = mx.gluon.nn.Dense(2, in_units=3, prefix="net_")
    net.initialize(mx.init.One())
    return net


def test_arrays_and_graphs(address: str) -> None:
    mx.nd.save(address + "a b%20.params", {"w": mx.nd.ones(2)})
    assert Path("a b%20.params").is_file()
    loaded: Any = mx.nd.load(address + "a b%20.params")
    assert loaded["w"].shape == (2,)
    loaded = mx.npx.load(address.replace("//", "//localhost", 1) + "a b%20.params")
    assert loaded["w"].size == 2
    mx.sym.var("x").save(address + "x.json")
    assert mx.sym.load(address + "x.json").name == "x"


def test_models(address: str) -> None:
    net = dense()
    net.save_parameters(address + "net.params")
    net.load_parameters(address + "net.params")
    net.collect_params().save(address + "dict.params")
    net.collect_params().load(address + "dict.params")
    net.hybridize()
    net(mx.nd.ones((1, 3)))
    net.export(address + "net")
    loaded = mx.gluon.SymbolBlock.imports(
        address + "net-symbol.json", ["data"], address + "net-0000.params"
    )
    assert loaded(mx.nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    mx.model.save_checkpoint(address + "c", 1, mx.sym.var("x"), {"x": mx.nd.ones(1)}, {})
    assert mx.model.load_checkpoint(address + "c", 1)[1]["x"].asscalar() == 1
    names = {path.name for path in Path().iterdir()}
    assert {"net.params", "net-symbol.json", "net-0000.params", "c-0001.params"} <= names


def test_states(address: str) -> None:
    trainer = mx.gluon.Trainer(dense().collect_params(), "adam")
    trainer.save_states(address + "t.states")
    trainer.load_states(address + "t.states")
    store = mx.kv.create("local")
    store.set_optimizer(mx.optimizer.SGD())
    store.save_optimizer_states(address + "s.states")
    store.load_optimizer_states(address + "s.states")
    assert Path("t.states").is_file()
    assert Path("s.states").is_file()


def test_records_and_images(address: str) -> None:
    image = np.full((4, 4, 3), 7, np.uint8)
    with mx.recordio.MXIndexedRecordIO(address + "x.idx", address + "x.rec", "w") as records:
        packed = mx.recordio.pack_img((0, 5.0, 1, 0), image, img_fmt=".png")
        records.write_idx(1, packed)
    Path("x.png").write_bytes(mx.recordio.unpack(packed)[1])
    Path("x.lst").write_text("1\t5\tx.png\n", encoding="utf-8")
    assert mx.image.imread(address + "x.png")[0, 0, 0].asscalar() == 7
    assert mx.gluon.data.vision.ImageRecordDataset(address + "x.rec")[0][1] == 5
    shape: Any = {"batch_size": 1, "data_shape": (3, 4, 4)}
    arguments: Any
    for arguments in (
        {"path_imgrec": address + "x.rec"},
        {"path_imgrec": address + "x.rec", "path_imgidx": address + "x.idx"},
        {"path_imglist": address + "x.lst", "path_root": address},
    ):
        batch = next(mx.image.ImageIter(**shape, **arguments))
        assert batch.label[0].asscalar() == 5
    for arguments in (
        {"path_imgidx": address + "x.idx"},
        {"path_imglist": address + "x.lst"},
    ):
        batches = mx.io.ImageRecordIter(path_imgrec=address + "x.rec", **shape, **arguments)
        assert next(batches).label[0].asscalar() == 5
        batches.close()


def test_vectors_of_tokens(address: str) -> None:
    Path("x.txt").write_text("a 1 2\n", encoding="utf-8")
    assert text.embedding.CustomEmbedding(address + "x.txt").vec_len == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("file://sub/x.params", "'sub' is a host; write file:///folder/name"),
        ("file://x.params", r"'x\.params' is a host"),
        ("s3://bucket/x.params", "only local files can be opened"),
        ("hdfs://bucket/x.params", "only local files can be opened"),
    ],
)
def test_what_is_no_local_file_is_refused(name: str, message: str) -> None:
    for use in (mx.nd.load, mx.sym.load, lambda path: mx.nd.save(path, [mx.nd.ones(1)])):
        with pytest.raises(mx.MXNetError, match=message):
            use(name)


def csv(name: str) -> list[float]:
    batches = mx.io.CSVIter(data_csv=name, data_shape=(2,), batch_size=1)
    return [x for batch in batches for x in batch.data[0].asnumpy().ravel().tolist()]


def libsvm(name: str, **kwargs: Any) -> list[float]:
    batches = mx.io.LibSVMIter(data_libsvm=name, data_shape=(2,), batch_size=1, **kwargs)
    return [x for batch in batches for x in batch.data[0].asnumpy().ravel().tolist()]


@pytest.fixture
def tables() -> None:
    Path("csv").mkdir()
    Path("csv/1.csv").write_text("1,2\n3,4\n", encoding="utf-8")
    Path("csv/2.csv").write_text("5,6", encoding="utf-8")
    Path("csv/notes.txt").write_text("7,8\n", encoding="utf-8")
    Path("svm").mkdir()
    Path("svm/1.svm").write_text("1 0:1 1:2\n0 0:3\n", encoding="utf-8")
    Path("svm/2.svm").write_text("1 0:5 1:6\n", encoding="utf-8")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("csv/1.csv;csv/2.csv", 6),
        ("csv/1.csv;", 4),
        ("csv", 8),
        ("csv/", 8),
        (r"csv/.*\.csv", 6),
        ("csv/1.csv?format=csv", 4),
        ("csv/1.csv#cache", 4),
    ],
)
def test_tables_of_several_files_as_in_mxnet(name: str, values: int, address: str) -> None:
    assert csv(name) == [*range(1, values + 1)]
    assert csv(address + name) == csv(name)


@pytest.mark.usefixtures("tables")
def test_sparse_tables_of_several_files_as_in_mxnet(address: str) -> None:
    for name in ("svm", "svm/1.svm;svm/2.svm", r"svm/.*\.svm", address + "svm"):
        assert libsvm(name) == [1, 2, 3, 0, 5, 6]
    assert libsvm("svm/2.svm;svm/2.svm") == [5, 6, 5, 6]
    parts = [libsvm("svm", num_parts=2, part_index=i) for i in range(2)]
    assert [*parts[0], *parts[1]] == [1, 2, 3, 0, 5, 6]
    assert all(parts)


@pytest.mark.usefixtures("tables")
def test_a_missing_file_of_a_list_is_not_passed_over() -> None:
    with pytest.raises(FileNotFoundError, match=r"csv/nope\.csv"):
        csv("csv/1.csv;csv/nope.csv")


@pytest.mark.usefixtures("tables")
def test_damage_names_the_file_of_a_list() -> None:
    Path("csv/2.csv").write_text("5,6\n7,x\n", encoding="utf-8")
    Path("svm/2.svm").write_text("1 0:5\n1 9:5\n", encoding="utf-8")
    with pytest.raises(mx.MXNetError, match=r"^csv/2\.csv: byte 4: row"):
        csv("csv")
    with pytest.raises(mx.MXNetError, match=r"^svm/2\.svm: byte 6: row"):
        libsvm("svm")
