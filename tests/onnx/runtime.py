"""Models run by onnxruntime, which is not ours, and nets that go to ONNX and come back."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from hy_gluon.onnx import export_model, import_to_gluon
from hy_ndarray import nd
from hy_onnx.model import OnnxModel
from hy_onnx.protobuf import to_proto
from hy_symbol import Symbol

__all__ = ["agree", "goes_back", "outputs_of"]


def outputs_of(model: OnnxModel | str | Path, feeds: Mapping[str, Any]) -> list[Any]:
    """What a model that ONNX's checks pass gives for arrays by name; it may need fewer."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if isinstance(model, OnnxModel):
        proto = to_proto(model)
        onnx.checker.check_model(proto)
        content: Any = proto.SerializeToString()
    else:
        onnx.checker.check_model(str(model))
        content = str(model)
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = {value.name for value in session.get_inputs()}
    given = {name: value for name, value in feeds.items() if name in names}
    found: list[Any] = session.run(None, given)
    return found


def agree(
    found: Sequence[Any], wanted: Sequence[Any], rtol: float = 1e-4, atol: float = 5e-5
) -> None:
    """Assert that arrays are of one type, and nearly equal; integers are equal."""
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        if theirs.dtype.kind != "f":
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_allclose(
            ours.astype(np.float64), theirs.astype(np.float64), rtol=rtol, atol=atol
        )


def goes_back(net: Any, folder: Path, feeds: Mapping[str, Any], wanted: Sequence[Any]) -> None:
    """Assert that a net goes to ONNX, comes back as a block, and goes there again.

    Args:
        net: A block that has run, or a symbol without parameters.
        folder: For the models.
        feeds: Its inputs, in order.
        wanted: What it gives of them, and all that is made of it is to give, in engines, too.
    """
    shapes = [x.shape for x in feeds.values()]
    first, second = str(folder / "first.onnx"), str(folder / "second.onnx")
    params: Any = {} if isinstance(net, Symbol) else None
    export_model(net, params, shapes, onnx_file_path=first)
    agree(outputs_of(first, feeds), wanted)
    block = import_to_gluon(first)
    for how in ({"active": False}, {}, {"backend": "onnxruntime"}):
        block.hybridize(**how)
        found: Any = block(*map(nd.array, feeds.values()))
        listed = found if isinstance(found, list | tuple) else [found]
        agree([y.asnumpy() for y in listed], wanted)
    block.hybridize()
    export_model(block, None, shapes, onnx_file_path=second)
    agree(outputs_of(second, feeds), wanted)
