"""Weights in files beside an ONNX model are views of those files, which have to be beside it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hy_onnx import ImportModelError
from hy_onnx.model import Array
from hy_onnx.protobuf import load

VALUES = np.arange(12, dtype=np.float32)


def beside(name: str, array: Array, **told: Any) -> Any:
    """A tensor whose values are elsewhere."""
    tensor = numpy_helper.from_array(array, name)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in told.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def saved(folder: Path, *tensors: Any) -> str:
    """A model with these weights, the first of which is a constant of a node, too."""
    y = helper.make_empty_tensor_value_info("y")
    node = helper.make_node("Constant", [], ["y"], value=tensors[0])
    graph = helper.make_graph([node], "g", [], [y], tensors)
    path = folder / "net.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One with a file of weights, which has another folder beside it that has one, too."""
    for name in ("model", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.bin").write_bytes(VALUES.tobytes())
    return tmp_path / "model"


def owner(array: Any) -> Any:
    """What holds the memory of an array."""
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj


def test_weights_are_views_of_one_map_of_their_file(folder: Path) -> None:
    tensors = [
        beside("all", VALUES, location="w.bin"),
        beside("first", VALUES[:4], location="w.bin", length=16),
        beside("middle", VALUES[4:8].reshape(2, 2), location="./w.bin", offset=16, length=16),
        beside("last", VALUES[8:], location="w.bin", offset=32),
        beside("none", VALUES[:0], location="w.bin", offset=48, length=0),
    ]
    model = load(saved(folder, *tensors))
    found = model.graph.initializers
    expected = {"all": VALUES, "first": VALUES[:4], "middle": VALUES[4:8].reshape(2, 2)}
    expected |= {"last": VALUES[8:], "none": VALUES[:0]}
    assert set(found) == set(expected)
    for name, wanted in expected.items():
        np.testing.assert_array_equal(found[name], wanted, strict=True)
    (whole,) = {owner(array) for name, array in found.items() if name != "none"}
    assert whole.path == str(folder.resolve() / "w.bin")
    constant = model.graph.nodes[0].attrs["value"]
    np.testing.assert_array_equal(constant, VALUES, strict=True)
    assert owner(constant) is whole


def test_what_onnx_writes_beside_a_model_is_read(folder: Path) -> None:
    arrays: dict[str, Array] = {
        "half": np.linspace(0, 1, 600).astype(np.float16),
        "flags": VALUES > 5,
        "whole": np.arange(600, dtype=np.int64).reshape(20, 30),
    }
    tensors = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    four_bits = helper.make_tensor("four", TensorProto.INT4, (5,), [1, -2, 3, -4, 5])
    tensors.append(four_bits)
    model = onnx.load(saved(folder, numpy_helper.from_array(VALUES, "all"), *tensors))
    path = folder / "net.onnx"
    onnx.save(model, path, save_as_external_data=True, location="net.bin", size_threshold=0)
    found = load(path).graph.initializers
    for name, wanted in arrays.items():
        np.testing.assert_array_equal(found[name], wanted, strict=True)
        assert owner(found[name]).path == str(folder.resolve() / "net.bin")
    np.testing.assert_array_equal(found["four"], numpy_helper.to_array(four_bits))


def test_values_in_the_model_do_not_count_where_others_lie_beside_it(folder: Path) -> None:
    tensor = beside("w", np.zeros(12, np.float32), location="w.bin")
    tensor.raw_data = bytes(2000)
    np.testing.assert_array_equal(load(saved(folder, tensor)).graph.initializers["w"], VALUES)


@pytest.mark.parametrize("location", ["", ".", "..", "../other/w.bin", "/etc/passwd"])
def test_files_of_other_folders_are_not_read(folder: Path, location: str) -> None:
    path = saved(folder, beside("w", VALUES, location=location))
    with pytest.raises(ImportModelError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: weights beside it are missing: {location!r} for tensor 'w': "
        f"it has to be the name of a file in {folder.resolve()}"
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: (folder / "link").symlink_to(folder.parent / "other"),
        lambda folder: (folder / "link").symlink_to(folder),
        lambda folder: [
            (folder / "link").mkdir(),
            (folder / "link" / "w.bin").symlink_to("../../other/w.bin"),
        ],
        lambda folder: [
            (folder / "link").mkdir(),
            (folder / "link" / "w.bin").hardlink_to(folder.parent / "other" / "w.bin"),
        ],
    ],
    ids=["folder", "the same folder", "file", "hard"],
)
def test_links_are_not_followed(folder: Path, make: Callable[[Path], object]) -> None:
    make(folder)
    path = saved(folder, beside("w", VALUES, location="link/w.bin"))
    with pytest.raises(ImportModelError, match=r"'link/w.bin' for tensor 'w': it is a link, or"):
        load(path)


def test_a_model_in_a_folder_that_is_a_link_is_read(folder: Path, tmp_path: Path) -> None:
    saved(folder, beside("w", VALUES, location="w.bin"))
    (tmp_path / "link").symlink_to(folder)
    found = load(tmp_path / "link" / "net.onnx").graph.initializers["w"]
    np.testing.assert_array_equal(found, VALUES)


def test_what_is_no_file_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for location in ("pipe", "gone.bin", "a\0b"):
        with pytest.raises(ImportModelError, match="weights beside it are missing"):
            load(saved(folder, beside("w", VALUES, location=location)))


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ({"offset": 4, "length": 48}, "it has 48 bytes, not 48 from byte 4 on"),
        ({"offset": 49}, "it has 48 bytes, not -1 from byte 49 on"),
        ({"length": 10**30}, "it has 48 bytes, not 10"),
        ({"offset": -4, "length": 48}, "it has 48 bytes, not 48 from byte -4 on"),
        ({"length": -1}, "it has 48 bytes, not -1 from byte 0 on"),
        ({"offset": "many"}, "invalid literal for int"),
    ],
)
def test_places_outside_of_the_file_are_refused(
    folder: Path, told: dict[str, object], wrong: str
) -> None:
    path = saved(folder, beside("w", VALUES, location="w.bin", **told))
    with pytest.raises(ImportModelError, match=rf"'w\.bin' for tensor 'w': {wrong}"):
        load(path)


def test_a_name_that_no_file_can_have_is_refused(folder: Path) -> None:
    path = saved(folder, beside("w", VALUES, location="a" * 5000))
    with pytest.raises(ImportModelError, match="its name is longer than 255 bytes"):
        load(path)


def test_a_file_that_is_too_short_for_the_shape_is_refused(folder: Path) -> None:
    path = saved(folder, beside("w", VALUES, location="w.bin"))
    (folder / "w.bin").write_bytes(VALUES.tobytes()[:-4])
    with pytest.raises(ImportModelError, match=r"net\.onnx: is damaged: cannot reshape"):
        load(path)
