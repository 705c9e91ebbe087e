"""Cases of Fourier transforms and random projections of vectors."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _fft(data: Any, **_: Any) -> Any:
    y = np.fft.fft(data)
    return np.stack([y.real, y.imag], -1).reshape(*data.shape[:-1], -1)


def _ifft(data: Any, **_: Any) -> Any:
    y = np.fft.ifft(data[..., ::2] + 1j * data[..., 1::2])
    return y.real * y.shape[-1]


def _sketch(data: Any, h: Any, s: Any, *, out_dim: int) -> Any:
    return data @ (np.eye(out_dim)[h.astype(int).ravel()] * s.reshape(-1, 1))


H = np.array([[0.0, 2.0, 2.0, 1.0]])
S = np.array([[1.0, -1.0, 1.0, -1.0]])

CASES = (
    OpCase("_contrib_fft", ((2, 3, 5),), _fft),
    OpCase("_contrib_fft", ((4,),), _fft, {"compute_size": 1}),
    OpCase("_contrib_fft", ((0, 3),), lambda x: np.zeros((0, 6))),
    OpCase("_contrib_ifft", ((2, 3, 10),), _ifft),
    OpCase("_contrib_ifft", ((1, 2),), _ifft),
    OpCase("_contrib_count_sketch", ((3, 4), (1, 4), (1, 4)), _sketch, {"out_dim": 5},
           inputs={1: H, 2: S}),
    OpCase("_contrib_count_sketch", ((2, 0, 4), (4,), (4,)), _sketch, {"out_dim": 3},
           inputs={1: H[0], 2: S[0]}),
    OpCase("_count_sketch_backward", ((2, 3), (1, 4), (1, 4), (2, 4)),
           lambda dy, h, s, _, out_dim: dy[:, h.astype(int)[0]] * s, {"out_dim": 3},
           inputs={1: H, 2: S}, grad_inputs=(0,)),
)  # fmt: skip
