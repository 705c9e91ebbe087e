"""Steps of AdamW and LAMB by the names of ``nd.contrib``, with numbers of MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd

contrib: Any = nd.contrib


def state() -> list[Any]:
    return [nd.array([1.0, 2.0]), nd.array([0.1, 0.2]), nd.zeros(2), nd.zeros(2)]


@pytest.mark.parametrize("factor", [2.0, nd.array([2.0])], ids=["number", "array"])
def test_a_step_of_adamw(factor: Any) -> None:
    w, g, mean, var = state()
    assert contrib.adamw_update(w, g, mean, var, factor, 0.1, 1.0, wd=0.01, out=w) is w
    np.testing.assert_allclose(w.asnumpy(), [0.6737706, 1.6637703], rtol=1e-5)
    np.testing.assert_allclose(mean.asnumpy(), [0.02, 0.04], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [3.9999486e-05, 1.5999794e-04], rtol=1e-4)


def test_a_step_of_adamw_is_left_out_where_gradients_are_not_finite() -> None:
    w, g, mean, var = state()
    contrib.adamw_update(w, g, mean, var, float("nan"), 0.1, 1.0, out=w)
    assert (w.asnumpy().tolist(), mean.asnumpy().tolist()) == ([1, 2], [0, 0])


def test_a_step_of_adamw_on_half_precision_keeps_a_copy_in_float32() -> None:
    w, g, mean, var = state()
    copy, half, grad = w.copy(), w.astype("float16"), g.astype("float16")
    contrib.mp_adamw_update(half, grad, mean, var, copy, 2.0, 0.1, 1.0, wd=0.01, out=half)
    np.testing.assert_allclose(copy.asnumpy(), [0.67377067, 1.6637704], rtol=1e-5)
    assert half.asnumpy().tolist() == [np.float16(0.674), np.float16(1.664)]


def test_steps_on_several_weights_are_steps_on_each() -> None:
    one, other = state(), state()
    alone = state()
    other[0] *= 3
    groups: Any = [[*pair] for pair in zip(one, other, strict=True)]
    rates: Any = {"lrs": [0.1, 0.1], "wds": [0.01, 0.01], "etas": [1.0, 1.0]}
    contrib.multi_adamw_update(*groups, 2.0, **rates, out=groups[0])
    contrib.adamw_update(*alone, 2.0, 0.1, 1.0, wd=0.01, out=alone[0])
    np.testing.assert_allclose(one[0].asnumpy(), alone[0].asnumpy(), rtol=1e-5)
    assert other[0].asnumpy()[0] > 2
    w, g, mean, var = state()
    copy, half, grad = w.copy(), w.astype("float16"), g.astype("float16")
    single: Any = {name: values[:1] for name, values in rates.items()}
    contrib.multi_mp_adamw_update([half], [grad], [mean], [var], [copy], 2.0, **single, out=[half])
    np.testing.assert_allclose(copy.asnumpy(), [0.67377, 1.66377], rtol=1e-5)


def test_a_step_of_lamb() -> None:
    w, g, mean, var = state()
    contrib.multi_lamb_update([w], [g], [mean], [var], [1], lrs=[0.1], wds=[0.01], out=[w])
    np.testing.assert_allclose(w.asnumpy(), [0.84266734, 1.8411088], rtol=1e-5)
    np.testing.assert_allclose(mean.asnumpy(), [0.01, 0.02], rtol=1e-5)
    w, g, mean, var = state()
    copy, half, grad = w.copy(), w.astype("float16"), g.astype("float16")
    contrib.multi_mp_lamb_update(
        [half], [grad], [mean], [var], [copy], [1], lrs=[0.1], wds=[0.01], out=[half]
    )
    np.testing.assert_allclose(copy.asnumpy(), [0.84266734, 1.8411088], rtol=1e-4)
