"""Models run by onnxruntime, which is not ours."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from hy_gluon.onnx.model import OnnxModel
from hy_gluon.onnx.protobuf import to_proto

__all__ = ["agree", "outputs_of"]


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
    """Assert that arrays are of one type, and nearly equal."""
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(
            ours.astype(np.float64), theirs.astype(np.float64), rtol=rtol, atol=atol
        )
