"""Kernels in which numpy does not report overflow: the caller's error state stays as it was."""

from contextvars import Context
from threading import Thread
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table
from hy_kernels.numpy._array import _ignoring, quiet
from hy_kernels.numpy.costs import COSTS


def function(name: str) -> Any:
    kernel = table().find(name)
    assert kernel is not None
    return kernel.function


def overflown(data: Any) -> Any:
    return data * np.float32(3e38) * np.float32(3e38)


@pytest.mark.parametrize("name", ["exp", "expm1", "sqrt", "reciprocal", "broadcast_div", "sum"])
def test_errors_are_ignored_in_kernels_alone(name: str) -> None:
    operands = [np.array([-1000.0, 0.0, 3e38, 3e38, 1000.0], np.float32)]
    operands *= 2 if name == "broadcast_div" else 1
    params = {"axis": None, "keepdims": False, "exclude": False} if name == "sum" else {}
    with np.errstate(all="raise"):
        result = function(name)(*operands, **params)
        assert set(np.geterr().values()) == {"raise"}
        with pytest.raises(FloatingPointError):
            overflown(np.ones(2, np.float32))
    assert not np.isfinite(result).all()


def test_a_quiet_function_may_call_another() -> None:
    inner = quiet(overflown)
    outer = quiet(lambda data: (inner(data), overflown(data)))
    with np.errstate(over="raise"):
        assert np.isinf(outer(np.ones(2, np.float32))).all()
        with pytest.raises(FloatingPointError):
            overflown(np.ones(2, np.float32))


def test_the_state_is_restored_after_an_error() -> None:
    def fail() -> None:
        raise ValueError("refused")

    with np.errstate(over="raise"):
        with pytest.raises(ValueError, match="refused"):
            quiet(fail)()
        assert np.geterr()["over"] == "raise"


def test_threads_have_states_of_their_own() -> None:
    seen: list[str] = []

    def look() -> None:
        _joined(Thread(target=lambda: seen.append(np.geterr()["over"])))

    look()
    quiet(look)()
    assert seen[0] == seen[1]


def _joined(thread: Thread) -> None:
    thread.start()
    thread.join()


def test_a_numpy_that_keeps_its_state_elsewhere_still_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("seterr", "setbufsize"):  # change no variable of the context
        monkeypatch.setattr(np, name, lambda *_, **__: {})
    handling, ignored = _ignoring()
    assert handling.get(None) is ignored


def test_numpy_s_buffer_is_short_inside_only() -> None:
    def sizes() -> tuple[int, int, int]:
        return np.getbufsize(), quiet(np.getbufsize)(), np.getbufsize()

    before, inside, after = Context().run(sizes)  # in a context that no other test has changed
    assert inside == COSTS.rows.buffered < before == after
