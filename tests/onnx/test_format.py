"""Models of ONNX are a format of hy-io, which finds it by its entry point."""

from pathlib import Path

import numpy as np
import pytest

from hy_io import Contents, HyError, format_of, load_arrays, save_arrays
from hy_ndarray import nd
from hy_onnx import get_model_metadata
from hy_symbol import load_json, sym

WEIGHTS = {"fc_weight": np.arange(6, dtype=np.float32).reshape(2, 3)}


def graph() -> str:
    x = sym.var("x")
    return sym.FullyConnected(x, num_hidden=2, no_bias=True, name="fc").tojson()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "fc.onnx"
    save_arrays(path, Contents(WEIGHTS, graph(), inputs={"x": ("rows", 3)}))
    return path


def test_arrays_with_their_graph_become_a_model_and_come_back(model: Path) -> None:
    assert get_model_metadata(model)["input_tensor_data"] == [("x", (0, 3))]
    found = load_arrays(model)
    assert isinstance(found.arrays, dict)
    assert list(found.arrays) == ["arg:fc_weight"]
    np.testing.assert_array_equal(found.arrays["arg:fc_weight"], WEIGHTS["fc_weight"])
    assert load_json(str(found.symbol)).list_arguments() == ["x", "fc_weight"]


def test_arrays_are_views_or_copies_as_asked_for(model: Path) -> None:
    writable = {
        copy: [array.flags.writeable for array in load_arrays(model, copy=copy).arrays.values()]  # type: ignore[union-attr]  # by name
        for copy in (True, False)
    }
    assert writable == {True: [True], False: [False]}


def test_a_model_is_known_by_its_begin(model: Path) -> None:
    other = model.rename(model.with_suffix(".bin"))
    found = format_of(other)
    assert found is not None
    assert found.name == "onnx"


def test_weights_of_a_model_are_arrays_of_a_program(model: Path) -> None:
    loaded = nd.load(str(model))
    assert isinstance(loaded, dict)
    np.testing.assert_array_equal(loaded["arg:fc_weight"].asnumpy(), WEIGHTS["fc_weight"])


def test_a_model_needs_a_graph_and_shapes(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    with pytest.raises(HyError, match="an ONNX model needs the graph"):
        save_arrays(path, WEIGHTS)
    with pytest.raises(HyError, match="x: has no shape; give --input x=N,3,224,224"):
        save_arrays(path, Contents(WEIGHTS, graph()))
    assert not path.exists()
