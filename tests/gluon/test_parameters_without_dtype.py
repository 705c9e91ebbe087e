"""Parameters without a dtype: float32, as in MXNet 1.9.1, or what a file has."""

from pathlib import Path

import numpy as np
import pytest

from hy_gluon import Parameter, nn
from hy_ndarray import nd


def test_no_dtype_is_float32() -> None:
    parameter = Parameter("w", shape=(2, 0), dtype=None, allow_deferred_init=True)
    parameter.initialize()
    parameter.shape = (2, 3)
    parameter._finish_deferred_init()
    assert (parameter.dtype, parameter.data().dtype) == (None, np.float32)
    parameter.cast("float16")
    assert (parameter.dtype, parameter.data().dtype) == ("float16", np.float16)
    parameter.cast(None)
    assert (parameter.dtype, parameter.data().dtype) == (None, np.float32)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("in_units", [0, 2])
def test_layers_without_a_dtype_compute_in_float32(in_units: int, hybridized: bool) -> None:
    net = nn.Dense(3, in_units=in_units, dtype=None)
    net.initialize()
    net.hybridize(hybridized)
    for _ in range(2):
        assert net(nd.ones((1, 2))).dtype == np.float32
    assert net.weight.dtype is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parameters_without_a_dtype_take_that_of_a_file(tmp_path: Path, dtype: str) -> None:
    saved = nn.Dense(3, in_units=2, dtype=dtype)
    saved.initialize()
    saved.save_parameters(str(tmp_path / "x.params"))
    net = nn.Dense(3, dtype=None)
    net.load_parameters(str(tmp_path / "x.params"))
    net.hybridize()
    assert net(nd.ones((1, 2), dtype=dtype)).dtype == np.dtype(dtype)
    assert (net.weight.dtype, net.weight.data().dtype) == (None, np.dtype(dtype))
