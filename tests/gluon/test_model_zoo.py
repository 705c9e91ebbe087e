"""The models are those of MXNet 1.9.1: parameters, places, graphs; they run in every way alike.

A row of ``data/zoo.json``, made with MXNet 1.9.1: number of parameters, number of their elements;
SHA-1 of the JSON of the sorted names and shapes, of the sorted places, and SHA-1 of the graph.
"""

import doctest
import hashlib
import http.server
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, initializer, nn, verify
from hy_gluon.model_zoo import model_store, vision
from hy_gluon.model_zoo.model_store import ModelError
from hy_gluon.utils import DownloadError
from hy_ndarray import nd, random
from hy_symbol import sym
from hy_symbol.graph import name as naming
from tests.zoo import by_family

ZOO = json.loads((Path(__file__).parent / "data" / "zoo.json").read_text(encoding="utf-8"))


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


@pytest.mark.parametrize("name", ZOO)
def test_parameters_and_graph_are_those_of_mxnet(name: str) -> None:
    with naming.NameManager():
        net = vision.get_model(name)
        graph = net(sym.var("data"))
    size = 299 if name == "inceptionv3" else 224
    arguments, outputs, states = graph.infer_shape(data=(1, 3, size, size))
    assert arguments is not None
    assert states is not None
    shapes: dict[str, Any] = dict(zip(graph.list_arguments(), arguments, strict=True))
    shapes |= dict(zip(graph.list_auxiliary_states(), states, strict=True))
    rows = sorted((parameter, list(shapes[parameter])) for parameter in net.collect_params())
    places = sorted(net._collect_params_with_prefix())
    assert outputs == [(1, 1000)]
    assert [
        len(rows),
        sum(int(np.prod(shape)) for _, shape in rows),
        _sha1(json.dumps(rows)),
        _sha1(json.dumps(places)),
        _sha1(graph.tojson()),
    ] == ZOO[name]


def test_every_model_has_a_row() -> None:
    with pytest.raises(ModelError, match="there is no model 'foo'; there are alexnet, ") as error:
        vision.get_model("foo")
    assert str(error.value).partition("there are ")[2].split(", ") == sorted(ZOO)
    assert sorted(model_store._model_sha1) == sorted(ZOO)


def _check_ways(net: HybridBlock, images: Any) -> None:
    """Eager, hybrid, static and imported again: the same outputs and gradients."""
    random.seed(1)
    net.initialize(initializer.Xavier())
    scores = net(images).asnumpy()
    assert scores.shape == (len(images), 3)
    assert np.ptp(scores) > 0
    differences = verify(net, images)
    assert set(differences) == {"hybrid", "static", "reimported"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: vision.mobilenet0_25(classes=3),
        lambda: vision.ResNetV1(vision.BasicBlockV1, [1], [4, 8], classes=3, thumbnail=True),
        lambda: vision.ResNetV1(vision.BottleneckV1, [1, 1], [4, 8, 16], classes=3),
        lambda: vision.ResNetV2(vision.BasicBlockV2, [1, 1], [4, 4, 8], classes=3),
        lambda: vision.ResNetV2(vision.BottleneckV2, [1], [4, 8], classes=3, thumbnail=True),
        pytest.param(
            lambda: vision.VGG([1, 1], [2, 4], classes=3, batch_norm=True), marks=pytest.mark.slow
        ),
    ],
)
def test_small_models_run_in_every_way_alike(
    make: Callable[[], HybridBlock], rng: np.random.Generator
) -> None:
    _check_ways(make(), nd.array(rng.uniform(size=(2, 3, 32, 32))))


def _images_for(name: str) -> tuple[int, int, int, int]:
    """Small images: two of them, which batch norms of a few pixels need not to amplify rounding."""
    if name.startswith(("densenet", "squeezenet")):
        return 1, 3, 224, 224
    size = 299 if name == "inceptionv3" else 64
    return 2, 3, size, size


@pytest.mark.parametrize("name", by_family(ZOO))
def test_every_model_runs_in_every_way_alike(name: str, rng: np.random.Generator) -> None:
    _check_ways(vision.get_model(name, classes=3), nd.array(rng.uniform(size=_images_for(name))))


def test_names_are_taken_in_any_case() -> None:
    assert isinstance(vision.get_model("MobileNetV2_0.25"), vision.MobileNetV2)


def test_thumbnails_keep_their_size() -> None:
    net = vision.get_resnet(1, 18, thumbnail=True, classes=3)
    assert isinstance(net.features[0], nn.Conv2D)
    assert isinstance(net.features[1], nn.HybridSequential)


def test_dropout_of_densenet_is_behind_each_layer() -> None:
    net = vision.DenseNet(8, 4, [1, 2], dropout=0.5)
    assert isinstance(net.features[4][0][1][6], nn.Dropout)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vision.get_resnet(3, 18), "version=3 must be 1 or 2"),
        (lambda: vision.get_resnet(1, 19), r"num_layers=19 must be one of \[18, 34, 50"),
        (lambda: vision.get_vgg(12), r"num_layers=12 must be one of \[11, 13"),
        (lambda: vision.SqueezeNet("2.0"), "version must be '1.0' or '1.1', not '2.0'"),
        (lambda: vision.VGG([1], [2, 3]), "1 stages of layers, 2 of filters"),
        (
            lambda: vision.ResNetV1(vision.BasicBlockV1, [1], [2]),
            "1 stages need 2 numbers of channels, not 1",
        ),
        (
            lambda: vision.get_mobilenet(0.33, pretrained=True),
            "no trained parameters of 'mobilenet0.33'",
        ),
    ],
)
def test_mistakes_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        call()


# --- files of trained parameters -------------------------------------------------------------

NAME = "mobilenet0.25"


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The file of a model, which is taken for the one that was published."""
    net = vision.mobilenet0_25(classes=3)
    net.initialize()
    net(nd.zeros((1, 3, 32, 32)))
    net.save_parameters(str(tmp_path / "trained"))
    content = (tmp_path / "trained").read_bytes()
    digest = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    monkeypatch.setitem(model_store._model_sha1, NAME, digest)
    return content


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a mirror that is asked instead of Apache's server."""
    folder = tmp_path / "mirror"
    (folder / "gluon" / "models").mkdir(parents=True)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("MXNET_GLUON_REPO", f"http://127.0.0.1:{server.server_port}/")
        yield folder / "gluon" / "models"
        server.shutdown()
        thread.join()


def _publish(mirror: Path, content: bytes) -> None:
    base = f"{NAME}-{model_store.short_hash(NAME)}"
    with zipfile.ZipFile(mirror / f"{base}.zip", "w") as archive:
        archive.writestr(f"{base}.params", content)


def test_pretrained_reads_the_file_in_a_folder(trained: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"{NAME}-{model_store.short_hash(NAME)}.params"
    file.write_bytes(trained)
    net = vision.get_model(NAME, classes=3, pretrained=True, root=str(tmp_path))
    assert net(nd.zeros((1, 3, 32, 32))).shape == (1, 3)


def test_a_damaged_file_is_fetched_anew(trained: bytes, mirror: Path, tmp_path: Path) -> None:
    _publish(mirror, trained)
    root = tmp_path / "new"
    file = Path(model_store.get_model_file(NAME, str(root)))
    assert file.read_bytes() == trained
    file.write_bytes(trained[:-1])
    assert model_store.get_model_file(NAME, str(root)) == str(file)
    assert file.read_bytes() == trained
    model_store.purge(str(root))
    assert list(root.iterdir()) == []


def test_another_file_than_the_published_one_is_refused(
    trained: bytes, mirror: Path, tmp_path: Path
) -> None:
    _publish(mirror, trained[:-1])
    with pytest.raises(DownloadError, match="another SHA-1"):
        model_store.get_model_file(NAME, str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_without_a_network_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match="parameters of resnet18_v1 could not be") as error:
        vision.resnet18_v1(pretrained=True, root=str(tmp_path))
    (note,) = error.value.__notes__
    assert "put the file resnet18_v1-a0666292.params (SHA-1 a0666292" in note
    assert "MXNET_GLUON_REPO" in note


@pytest.mark.parametrize("module", [model_store, vision])
def test_docstring_examples_run(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
