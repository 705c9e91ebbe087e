"""Cases of decoding image files, and of borders around images."""

from pathlib import Path
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

FILE = Path(__file__).with_name("colors.png")
CONTENT = np.frombuffer(FILE.read_bytes(), np.uint8)
COLORS = np.array(
    [[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [10, 20, 30]], [[7, 7, 7], [200, 100, 50]]]
)
GRAYS = np.array([[[76], [149]], [[29], [18]], [[7], [124]]])
AROUND = {"top": 1, "bot": 2, "left": 3, "right": 0}


def _border(mode: Any) -> Any:
    return lambda x, **_: np.pad(x, [(1, 2), (3, 0), (0, 0)], mode=mode)


def _colored(x: Any, **_: Any) -> Any:
    y = np.full((x.shape[0] + 3, x.shape[1] + 3, 3), [1.0, 2.0, 0.0])
    y[1:-2, 3:] = x
    return y


CASES = (
    OpCase("_cvimdecode", ((len(CONTENT),),), lambda _: COLORS, inputs={0: CONTENT}),
    OpCase("_cvimdecode", ((len(CONTENT),),), lambda _, **params: COLORS[..., ::-1],
           {"to_rgb": False}, inputs={0: CONTENT}),
    OpCase("_cvimdecode", ((len(CONTENT),),), lambda _, **params: GRAYS, {"flag": 0},
           inputs={0: CONTENT}),
    OpCase("_cvimread", (), lambda **params: COLORS, {"filename": str(FILE)}),
    OpCase("_cvcopyMakeBorder", ((2, 4, 3),),
           lambda x, **_: np.pad(x, [(1, 2), (3, 0), (0, 0)], constant_values=0.5),
           {**AROUND, "value": 0.5}),
    OpCase("_cvcopyMakeBorder", ((2, 4, 3),), _colored, {**AROUND, "values": (1.0, 2.0)}),
    OpCase("_cvcopyMakeBorder", ((2, 4, 1),), _border("edge"), {**AROUND, "type": 1}),
    OpCase("_cvcopyMakeBorder", ((2, 2, 2),), _border("symmetric"), {**AROUND, "type": 2}),
    OpCase("_cvcopyMakeBorder", ((2, 2, 2),), _border("wrap"), {**AROUND, "type": 3}),
    OpCase("_cvcopyMakeBorder", ((3, 2, 2),), _border("reflect"), {**AROUND, "type": 4}),
)  # fmt: skip
