"""Cases of joining, splitting, selection by a condition, and creation by NumPy's rules."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

CONDITION = np.array([[True], [False]])
MASK = np.array([[True, False, True], [False, False, True]])


def _together(name: str) -> Any:
    return lambda *data, **params: getattr(np, name)(data, **params)


def _parts(dy: Any, *data: Any, axis: Any, parts: int) -> Any:
    return tuple(np.split(dy, [2], 1 if axis is None else axis))


def _joined(like: Any, *data: Any, axis: Any) -> Any:
    return np.concatenate(data, 1)


def _hsplit(data: Any, indices: Any = (), sections: int = 0) -> Any:
    return tuple(np.hsplit(data, sections or list(indices[1:])))


def _where_rscalar(condition: Any, y: Any, scalar: float) -> Any:
    return np.where(condition, y, scalar)


def _where_scalar2(condition: Any, x: float, y: float) -> Any:
    return np.where(condition, x, y)


def _windows() -> Any:
    for name in ("hanning", "hamming", "blackman"):
        for points in (5, 1, 0):
            yield OpCase(f"_npi_{name}", (), _window(name), {"M": points, "dtype": "float64"})


def _window(name: str) -> Any:
    return lambda M, dtype: getattr(np, name)(M)  # noqa: N803  # numpy's name


def _arange(start: float, stop: Any = None, step: float = 1, dtype: str = "") -> Any:
    return np.arange(*((start,) if stop is None else (start, stop, step)))


CASES = (
    OpCase("_npi_concatenate", ((2, 3), (2, 1)), _together("concatenate"), {"axis": -1}),
    OpCase("_npi_concatenate", ((2, 3), (1, 1)), _together("concatenate"), {"axis": None}),
    OpCase("_npi_concatenate", ((0, 3), (2, 3)), _together("concatenate"), {"axis": 0}),
    OpCase("_npi_concatenate", ((2, 3),), _together("concatenate")),
    OpCase("_npi_stack", ((2, 3), (2, 3)), _together("stack"), {"axis": -1}),
    OpCase("_npi_stack", ((), ()), _together("stack")),
    OpCase("_npi_vstack", ((3,), (2, 3)), _together("vstack")),
    OpCase("_npi_vstack", ((), ()), _together("vstack")),
    OpCase("_npi_hstack", ((2,), (3,)), _together("hstack")),
    OpCase("_npi_hstack", ((2, 1, 2), (2, 3, 2)), _together("hstack")),
    OpCase("_npi_dstack", ((2,), (2,)), _together("dstack")),
    OpCase("_npi_dstack", ((2, 1), (2, 1)), _together("dstack")),
    OpCase("_npi_column_stack", ((2,), (2, 3)), _together("column_stack")),
    OpCase("_np_join_backward", ((2, 5), (2, 2), (2, 3)), _parts, {"axis": None, "parts": 2}),
    OpCase("_np_join_like", ((2, 5), (2, 2), (2, 3)), _joined, {"axis": 1}),
    OpCase("_np_join_like", ((2, 0), (2, 0)), _joined, {"axis": 1}),
    OpCase("_npi_hsplit", ((2, 4),), _hsplit, {"indices": (), "sections": 2}),
    OpCase("_npi_hsplit", ((5,),), _hsplit, {"indices": (0, 2, 3)}),
    OpCase(
        "_npi_dsplit",
        ((2, 2, 4),),
        lambda data, **_: tuple(np.dsplit(data, 2)),
        {"indices": (), "sections": 2, "axis": 2},
    ),
    OpCase("_npi_where", ((2, 1), (3,), (2, 3)), np.where, inputs={0: CONDITION}),
    OpCase("_npi_where", ((2, 1), (), ()), np.where, inputs={0: CONDITION}),
    OpCase(
        "_npi_where_lscalar",
        ((2, 1), (2, 3)),
        lambda c, x, scalar: np.where(c, scalar, x),
        {"scalar": 1.5},
        inputs={0: CONDITION},
    ),
    OpCase(
        "_npi_where_rscalar",
        ((2, 1), (3,)),
        _where_rscalar,
        {"scalar": 1.5},
        inputs={0: CONDITION},
    ),
    OpCase(
        "_npi_where_scalar2",
        ((2, 1),),
        _where_scalar2,
        {"x": 1.5, "y": 2},
        inputs={0: CONDITION},
    ),
    OpCase("_npx_nonzero", ((2, 3),), np.argwhere, inputs={0: MASK}),
    OpCase("_npx_nonzero", ((),), lambda x: np.zeros((1, 1), np.int64), low=0.5),
    OpCase("_npx_constraint_check", ((2,),), lambda x: True, inputs={0: MASK[0, ::2]}),
    OpCase("_npi_share_memory", ((2,), (2,)), lambda a, b: False),
    OpCase("_npi_diag_indices_from", ((3, 3),), lambda x: np.stack(np.diag_indices_from(x))),
    OpCase(
        "_npi_boolean_mask_assign_scalar",
        ((2, 3, 2), (2, 3)),
        lambda x, mask, value: np.where(mask[..., None], value, x),
        {"value": 9.0},
        inputs={1: MASK},
    ),
    OpCase(
        "_npi_boolean_mask_assign_tensor",
        ((2, 3), (3,), (2, 1)),
        lambda x, mask, value, start_axis: np.where(mask, value, x),
        {"start_axis": 1},
        inputs={1: MASK[0]},
    ),
    OpCase("_npi_zeros", (), lambda shape, dtype: np.zeros(2), {"shape": (2,), "dtype": "float64"}),
    OpCase("_npi_ones", (), lambda shape, dtype: np.ones(2), {"shape": (2,), "dtype": "float64"}),
    OpCase("_npi_identity", (), lambda shape: np.eye(2), {"shape": (2, 2)}),
    OpCase("_npi_eye", (), np.eye, {"N": 2, "M": 3, "k": 1, "dtype": "float64"}),
    OpCase("_npi_eye", (), np.eye, {"N": 3, "dtype": "float64"}),
    *(
        OpCase("_npi_arange", (), _arange, {**params, "dtype": "float64"})
        for params in ({"start": 4}, {"start": 1, "stop": 3, "step": 0.5}, {"start": 3, "stop": 1})
    ),
    OpCase(
        "_npi_arange",
        (),
        lambda **_: np.array([5, 4, 3, 2]),
        {"start": 5.5, "stop": 0.5, "step": -1.5, "dtype": "int64"},
    ),
    OpCase(
        "_npi_logspace",
        (),
        lambda dtype, **params: np.logspace(**params),
        {"start": 0, "stop": 2, "num": 5, "base": 2.0, "endpoint": False, "dtype": "float64"},
    ),
    OpCase("_npi_indices", (), lambda dimensions: np.indices((2, 3)), {"dimensions": (2, 3)}),
    *_windows(),
    OpCase("_npi_full_like", ((2, 3),), lambda a, fill_value: a * 0 + 7, {"fill_value": 7}),
    OpCase(
        "_npi_full_like",
        ((2,),),
        lambda a, fill_value, dtype: [7, 7],
        {"fill_value": 7, "dtype": "int32"},
    ),
)
