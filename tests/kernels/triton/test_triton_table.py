"""The Triton table: what it has, when it leaves work to torch, and what it tells of failures."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest
import torch
from triton.runtime.errors import OutOfResources, PTXASError

from hy_kernels.torch import table as torch_table
from hy_kernels.triton import TritonTable, _table, table
from hy_kernels.triton._overlay import OVERLAYS, Overlay
from hy_kernels.triton.device import softmax as device
from hy_kernels.triton.runtime._launch import LaunchError, launch, on_device, watched
from hy_ndarray import (
    PointwiseGroup,
    PointwiseStep,
    device_of,
    kernel_table,
    nd,
    ops,
)
from tests.kernels.triton.parity import CONTEXT, DEVICE, on_table
from tools.operators import kernel_tables

HOW: dict[str, Any] = {"axis": -1, "temperature": None, "dtype": None, "use_length": False}


def test_it_is_found_by_its_entry_point() -> None:
    assert isinstance(kernel_table("triton"), TritonTable)


def test_every_kernel_of_it_is_torch_s_too_or_brings_what_torch_computes() -> None:
    own = {name for name in table().names() if OVERLAYS[name].below is not None}
    fused = {"fused_batch_norm", "fused_batch_norm_backward", "fused_pointwise"}
    attention = {"attention", "attention_backward", "self_attention"}
    assert own == {"dropout_by_seed", "fused_rms_norm", *attention, *fused}
    assert set(table().names()) - own <= set(torch_table().names())


def test_every_kernel_takes_the_parameters_that_torch_s_takes() -> None:
    for name in table().names():
        below = torch_table().find(name)
        if below is None:
            continue
        wanted, given = (signature(f).parameters for f in (below.function, OVERLAYS[name].function))
        named = {key for key, each in wanted.items() if each.kind is Parameter.KEYWORD_ONLY}
        if not any(each.kind is Parameter.VAR_KEYWORD for each in given.values()):
            assert named <= set(given), name


def test_operators_run_on_its_kernels_and_not_on_those_below() -> None:
    with on_table("triton"), watched() as launches:
        assert device_of(CONTEXT).source("softmax") == "triton"
        y = nd.softmax(nd.array([[1.0, 2.0, 3.0]]))
    assert [each.kernel for each in launches] == [device.softmax_rows]
    np.testing.assert_allclose(y.asnumpy().sum(), 1, rtol=1e-6)


def test_what_does_not_suit_is_computed_by_torch() -> None:
    record = table().find("softmax")
    assert record is not None
    with watched() as launches:
        assert record.function(torch.zeros(0, 3), **HOW).shape == (0, 3)
    assert not launches


def test_the_page_of_operators_names_its_kernels() -> None:
    called = {op.kernel for op in ops.operators()}
    named = kernel_tables()["triton"]
    assert named & called == called.intersection(table().names())


def test_kernels_it_lacks_are_torch_s() -> None:
    with on_table("triton"):
        assert device_of(CONTEXT).source("ctc_loss") == "torch"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kernel that cannot be started."""

    def fail(*_: Any, **__: Any) -> Any:
        raise LaunchError("Triton kernel broken: no such instruction")

    name = "_broken"
    below = torch_table().find("softmax")
    assert below is not None
    monkeypatch.setitem(OVERLAYS, name, Overlay("softmax", fail, lambda *_, **__: True))
    return name


def test_a_kernel_that_fails_is_an_error_for_those_who_chose_the_table(broken: str) -> None:
    record = TritonTable().find(broken)
    assert record is not None
    with pytest.raises(LaunchError, match="no such instruction"):
        record.function(torch.ones(3), **HOW)


def test_a_kernel_that_fails_is_told_once_to_those_who_did_not(broken: str) -> None:
    record = TritonTable(strict=False).find(broken)
    assert record is not None
    with pytest.warns(RuntimeWarning, match="softmax: torch computes it .* no such instruction"):
        y = record.function(torch.zeros(2), **HOW)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.equal(y, record.function(torch.zeros(2), **HOW))


def test_a_fused_group_that_fails_is_torch_s_for_those_who_did_not_choose_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> Any:
        raise LaunchError("Triton kernel fused: no such instruction")

    monkeypatch.setattr("hy_kernels.triton.elementwise.pointwise.run", fail)
    group = PointwiseGroup(1, (PointwiseStep("exp", (0,), {}),), (1,), ((2,), "float32"))
    x = torch.zeros(2, device=DEVICE)
    with pytest.raises(LaunchError):
        TritonTable().fuse(group).function(x)
    kernel = TritonTable(strict=False).fuse(group)
    with pytest.warns(RuntimeWarning, match="exp: torch computes it .* no such instruction"):
        (y,) = kernel.function(x)
    assert y.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("strict", [True, False])
def test_a_group_that_formulas_lack_is_torch_s_and_told_once(strict: bool) -> None:
    steps = (PointwiseStep("exp", (0,), {}), PointwiseStep("ones_like", (1,), {}))
    group = PointwiseGroup(1, steps, (2,), ((2,), "float32"))
    table = TritonTable(strict=strict)
    with pytest.warns(RuntimeWarning, match=r"has no step for.*: ones_like\(\) of float32"):
        kernel = table.fuse(group)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table.fuse(group)
    _table._report.cache_clear()
    (y,) = kernel.function(torch.zeros(2, device=DEVICE))
    assert y.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("index", "entered"), [(0, []), (1, [1])])
def test_a_launch_is_on_the_device_of_its_tensors(
    monkeypatch: pytest.MonkeyPatch, index: int, entered: list[int]
) -> None:
    found = list[int]()

    def enter(device: torch.device) -> AbstractContextManager[None]:
        found.append(device.index)
        return nullcontext()

    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "device", enter)
    with on_device(torch.device("cuda", index)):
        pass
    assert found == entered


def test_every_launch_asks_for_the_device_of_its_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[torch.device]()

    def note(device: torch.device) -> AbstractContextManager[None]:
        asked.append(device)
        return nullcontext()

    monkeypatch.setattr("hy_kernels.triton.runtime._launch.on_device", note)
    record = table().find("softmax")
    assert record is not None
    record.function(torch.zeros(2, 3, device=DEVICE), **HOW)
    assert [each.type for each in asked] == [DEVICE.type]


@pytest.fixture
def unloadable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A family whose file cannot be imported."""
    _table._loaded.cache_clear()
    monkeypatch.setattr(_table, "_FAMILIES", (*_table._FAMILIES, "no_such_family"))
    yield
    _table._loaded.cache_clear()
    _table._report.cache_clear()


@pytest.mark.usefixtures("unloadable")
def test_a_family_that_cannot_be_loaded_is_an_error_for_those_who_chose_the_table() -> None:
    with pytest.raises(LaunchError, match=r"cannot load no_such_family \(ModuleNotFoundError"):
        TritonTable().find("softmax")


@pytest.mark.usefixtures("unloadable")
def test_a_family_that_cannot_be_loaded_is_told_once_to_those_who_did_not() -> None:
    with pytest.warns(RuntimeWarning, match="falling back to .* Triton .* no_such"):
        assert TritonTable(strict=False).find("softmax") is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TritonTable(strict=False).find("exp") is not None


class _Failing:
    """A kernel whose start fails."""

    fn = print

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getitem__(self, grid: object) -> Any:
        def fail(*_: Any, **__: Any) -> None:
            raise self._error

        return fail


@pytest.mark.parametrize(
    "error",
    [
        OutOfResources(300, 227, "shared memory"),
        PTXASError("no such instruction"),
        RuntimeError("Triton Error [CUDA]: no kernel image is available for execution"),
        RuntimeError("PassManager::run failed"),
    ],
)
def test_a_kernel_that_triton_refuses_is_a_launch_error(error: Exception) -> None:
    with pytest.raises(LaunchError, match=r"Triton kernel print: ") as caught:
        launch(_Failing(error), (1,), torch.ones(1))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        TypeError("missing a required argument: 'ROWS'"),
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("Triton Error [CUDA]: an illegal memory access was encountered"),
    ],
)
def test_what_is_not_the_launch_s_fault_stays_the_error_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        launch(_Failing(error), (1,), torch.ones(1))
    assert caught.value is error


def test_a_kernel_too_large_for_a_shape_is_used_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = list[int]()

    def ours(x: torch.Tensor, **_: Any) -> torch.Tensor:
        tried.append(len(x))
        if len(x) > 2:
            raise LaunchError("too large") from OutOfResources(300, 227, "shared memory")
        return x

    monkeypatch.setitem(OVERLAYS, "_large", Overlay("softmax", ours, lambda *_, **__: True))
    record = TritonTable(strict=False).find("_large")
    assert record is not None
    with pytest.warns(RuntimeWarning, match="torch computes such operands from now on"):
        record.function(torch.ones(3), **HOW)
    for n in (3, 2, 3):
        record.function(torch.ones(n), **HOW)
    assert tried == [3, 2]


def test_without_a_gpu_and_the_interpreter_there_is_nothing_to_run_on() -> None:
    program = (
        "import hy_ndarray as hy\n"
        "from hy_kernels.triton import table\n"
        "print(table().device_types, table().count('cpu'))\n"
        "try: hy.use_kernels('triton')\n"
        "except hy.KernelError as error: print(error)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(  # noqa: S603  # our own program
        command, check=True, capture_output=True, text=True, timeout=120, env=_environment()
    )
    assert done.stdout.startswith("('gpu',) 0")
    assert "supports gpu, not cpu" in done.stdout


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
