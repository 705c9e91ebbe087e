"""Errors of a device that works later: with HY_DEBUG=sync they name the call that made them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hy_kernels.record import Kernel
from hy_ndarray import KernelError, cpu, device_of, kernel_table, nd, use_kernels
from hy_symbol import Program, sym


class Late:
    """The numpy table, which tells that ``log`` failed when it is waited for, as GPUs do."""

    def __init__(self) -> None:
        self._table = kernel_table("numpy")
        self.failed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def find(self, name: str) -> Any:
        found = self._table.find(name)
        if name != "log" or found is None:
            return found
        assert isinstance(found, Kernel)

        def log(data: Any, **more: Any) -> Any:
            self.failed = True
            return np.zeros_like(data)

        return replace(found, function=log, specialize=lambda types, params: log)

    def synchronize(self, device: Any) -> None:  # noqa: ARG002
        if self.failed:
            self.failed = False
            raise RuntimeError("an assertion of the device")


@pytest.fixture
def table() -> Iterator[Callable[[], Late]]:
    made = []

    def use() -> Late:
        late = Late()
        made.append(use_kernels(late))
        return late

    yield use
    for choice in reversed(made):
        choice.__exit__(None, None, None)


def test_the_call_that_failed_is_named(
    table: Callable[[], Late], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_DEBUG", "passes,sync")
    table()
    x = nd.ones((2,))
    with pytest.raises(KernelError, match=r"^log: the kernel failed on .*assertion of the device"):
        nd.exp(nd.log(x))
    np.testing.assert_array_equal((x + 1).asnumpy(), [2.0, 2.0])


def test_the_node_that_failed_is_named(
    table: Callable[[], Late], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_DEBUG", "sync")
    table()
    net = sym.exp(sym.log(sym.var("x"), name="logarithm"))
    inputs = [(node, 0) for node in net.graph.variables]
    program = Program(inputs, net.graph.outputs, device_of(cpu()), is_train=False)
    for _ in range(2):  # step by step, and compiled
        with pytest.raises(KernelError, match=r"^log 'logarithm': the kernel failed on .*asser"):
            program(np.ones(2, np.float32))


def test_otherwise_nothing_is_waited_for(
    table: Callable[[], Late], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HY_DEBUG", raising=False)
    late = table()
    nd.exp(nd.log(nd.ones((2,))))
    assert late.failed
    late.failed = False
