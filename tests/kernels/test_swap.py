"""Kernel tables: found by entry point, chosen by name, by value or by environment, swapped."""

import gc
import importlib
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_kernels.record import Kernel
from hy_ndarray import (
    ContextError,
    KernelError,
    KernelTable,
    autograd,
    cpu,
    device_of,
    explain,
    gpu,
    installed_tables,
    kernel_table,
    nd,
    num_gpus,
    random,
    use_kernels,
)
from hy_ndarray.devices import _tables
from hy_ndarray.testing import fresh_tables
from tests.kernels.tiny_table import KERNELS, Block, TinyTable

ENTRY_POINTS = """\
[hy.kernels]
tiny = tests.kernels.tiny_table:table
broken = tests.kernels.tiny_table:broken
damaged = tests.kernels.tiny_table:damaged
absent = tests.kernels.tiny_table:absent
useless = tests.kernels.tiny_table:useless
lost = tests.kernels.no_such_module:table
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TinyTable]:
    """The table of a distribution that is installed for one test."""
    metadata = tmp_path / "tiny_kernels-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-kernels\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    with fresh_tables():
        table = kernel_table("tiny")
        assert isinstance(table, TinyTable)
        yield table


def table_name() -> str:
    return device_of(cpu()).table.name


def buffer_type(x: nd.NDArray) -> type[Any]:
    return type(x.buffer)


# --- found ------------------------------------------------------------------------------------


def test_a_table_is_found_by_its_entry_point(tiny: TinyTable) -> None:
    assert set(installed_tables()) >= {"numpy", "tiny"}
    assert kernel_table("tiny") is tiny
    assert isinstance(tiny, KernelTable)


def test_installing_a_table_does_not_choose_it(tiny: TinyTable) -> None:
    assert table_name() == "numpy"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", r"'nowhere' is not installed \(installed: .*numpy.*\); try `pip install"),
        ("broken", r"'broken' \(tests.*:broken\) failed to load: libtiny.so: cannot open"),
        ("damaged", "'damaged' .* failed to load: module 'tiny' has no attribute 'jit'"),
        ("lost", "'lost' .* failed to load: No module named"),
        ("useless", "returned an object, which is not a KernelTable"),
    ],
)
def test_a_table_that_cannot_be_had_says_why(tiny: TinyTable, name: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        use_kernels(name)
    assert table_name() == "numpy"


@pytest.mark.parametrize("name", ["broken", "damaged", "lost"])
def test_a_default_that_cannot_be_had_is_told_once(
    tiny: TinyTable, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tables, "may_have_gpus", lambda: True)
    monkeypatch.setitem(_tables._DEFAULTS, "gpu", (name, "tiny"))
    with pytest.warns(
        RuntimeWarning, match=f"'{name}' .* failed to load: .*; another table is used"
    ):
        assert num_gpus() == 0
    assert num_gpus() == 0


def test_a_default_whose_library_is_not_installed_is_passed_over(
    tiny: TinyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tables, "may_have_gpus", lambda: True)
    monkeypatch.setitem(_tables._DEFAULTS, "gpu", ("absent", "tiny"))
    assert num_gpus() == 0


def test_without_a_driver_no_library_is_loaded_to_count_gpus(
    tiny: TinyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tables, "may_have_gpus", lambda: False)
    monkeypatch.setitem(_tables._DEFAULTS, "gpu", ("broken", "tiny"))
    with fresh_tables():
        assert num_gpus() == 0
        with pytest.raises(ContextError, match=r"^gpu\(0\): no NVIDIA driver found"):
            nd.zeros((2,), ctx=gpu(0))


# --- chosen -----------------------------------------------------------------------------------


def test_a_table_is_used_inside_a_with_block(tiny: TinyTable) -> None:
    with use_kernels("tiny", device="cpu"):
        x = nd.array([1, 2])
        assert buffer_type(x) is Block
        assert (x + x).tolist() == [2, 4]
        assert tiny.calls == {"broadcast_add": 1}
    assert buffer_type(nd.array([1])) is np.ndarray
    assert table_name() == "numpy"


def test_a_table_is_asked_once_to_keep_freed_memory(tiny: TinyTable) -> None:
    for _ in range(2):
        with use_kernels("tiny", device="cpu"):
            nd.array([1, 2]) + nd.array([3, 4])
    assert tiny.memory.retained == 1


def test_a_choice_lasts_until_the_next(tiny: TinyTable) -> None:
    use_kernels(tiny)
    assert table_name() == "tiny"
    with use_kernels("numpy"):
        assert table_name() == "numpy"
    assert table_name() == "tiny"
    use_kernels("numpy")
    assert table_name() == "numpy"


def test_a_table_runs_where_it_says_it_does(tiny: TinyTable) -> None:
    with pytest.raises(KernelError, match="use_kernels: table 'tiny' supports cpu, not gpu"):
        use_kernels(tiny, device="gpu")
    with pytest.raises(ContextError, match="device 'tpu' is not one of cpu, gpu"):
        use_kernels(tiny, device="tpu")
    with pytest.raises(KernelError, match="returned a dict, which is not a KernelTable: it lacks"):
        use_kernels({})  # type: ignore[arg-type]


def test_the_environment_chooses_too(tiny: TinyTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_KERNELS", " cpu = tiny , gpu=nothing")
    with fresh_tables():
        assert table_name() == "tiny"
        with use_kernels("numpy"):
            assert table_name() == "numpy"
        assert table_name() == "tiny"
    monkeypatch.delenv("HY_KERNELS")
    with fresh_tables():
        assert table_name() == "numpy"


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("cpu=nowhere", KernelError, "'nowhere' is not installed"),
        ("numpy", KernelError, "HY_KERNELS: 'numpy' must have the form 'cpu=numpy'"),
        ("cpu:numpy", KernelError, "must have the form"),
        ("tpu=numpy", KernelError, "must have the form"),
        ("cpu=", KernelError, "must have the form"),
    ],
)
def test_a_wrong_environment_is_an_error(
    tiny: TinyTable, monkeypatch: pytest.MonkeyPatch, value: str, error: type, message: str
) -> None:
    monkeypatch.setenv("HY_KERNELS", value)
    with fresh_tables(), pytest.raises(error, match=message):
        nd.array([1])


def test_a_table_for_the_wrong_device_in_the_environment_is_an_error(
    tiny: TinyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_KERNELS", "gpu=tiny")
    with fresh_tables(), pytest.raises(KernelError, match="HY_KERNELS: table 'tiny' supports cpu"):
        nd.array([1]).copyto(type(cpu())("gpu", 0))


# --- arrays that exist ------------------------------------------------------------------------


def test_arrays_are_handed_over_without_a_copy(tiny: TinyTable) -> None:
    x = nd.array([1, 2, 3])
    memory = np.asarray(x)
    with use_kernels(tiny):
        y = x + x
        assert buffer_type(x) is buffer_type(y) is Block
        x += y
        np.testing.assert_array_equal(memory, [3, 6, 9])
    z = x * y
    assert buffer_type(x) is np.ndarray
    assert np.shares_memory(x.buffer, memory)
    assert z.tolist() == [6, 24, 54]


def test_all_operands_are_handed_over(tiny: TinyTable) -> None:
    before = nd.array([1, 2])
    with use_kernels(tiny):
        now = nd.array([10, 20])
        assert (now + before).tolist() == [11, 22]
        assert nd.add_n(before, now, before).tolist() == [12, 24]


def test_arrays_of_a_replaced_table_can_be_read_and_written(tiny: TinyTable) -> None:
    x = nd.array([1, 2, 3])
    with use_kernels(tiny):
        assert x.tolist() == [1, 2, 3]
        assert x[1:].tolist() == [2, 3]
        x[1] = 5
        x[0:1] = nd.array([7])
        assert x[nd.array([0, 2])].tolist() == [7, 3]
    assert x.tolist() == [7, 5, 3]


def test_indexing_works_on_any_buffer(tiny: TinyTable) -> None:
    with use_kernels(tiny):
        x = nd.from_numpy(np.arange(6, dtype="float32").reshape(2, 3))
        x[:, [0, 2]] = -1
        x[1, 1] = nd.array([9])
        assert x.tolist() == [[-1, 1, -1], [-1, 9, -1]]
        assert x.reshape(3, 2)[2].tolist() == [9, -1]


def test_gradients_flow_across_a_swap(tiny: TinyTable) -> None:
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * x
        with use_kernels(tiny):
            z = y * 3
    z.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 12]
    with autograd.record():
        y = x * x
    with use_kernels(tiny):
        y.backward()
        assert x.grad.tolist() == [2, 4]
    assert tiny.calls["broadcast_mul"] == 2


def draw() -> Any:
    return nd.random.uniform(shape=(3,)).tolist()


def test_random_numbers_go_on_where_tables_are_swapped(tiny: TinyTable) -> None:
    random.seed(3)
    expected = [draw() for _ in range(4)]
    drawing = TinyTable("drawing", kernels=(*KERNELS, explain("_random_uniform").kernel))
    random.seed(3)
    with use_kernels("numpy"):
        found = [draw()]
    found.append(draw())
    with use_kernels(drawing):  # its generators are of the same kind
        found.append(draw())
    found.append(draw())
    assert found == expected


def test_a_table_of_another_kind_of_generator_has_a_stream_of_its_own() -> None:
    class Legacy(TinyTable):
        def generator(self, seed: int, device: Any) -> Any:  # noqa: ARG002
            return np.random.RandomState(seed % 2**32)

    random.seed(3)
    expected = [draw() for _ in range(2)]
    legacy = Legacy("legacy", kernels=(*KERNELS, explain("_random_uniform").kernel))
    random.seed(3)
    found = [draw()]
    with use_kernels(legacy):
        assert type(random.generator(device_of(cpu()))) is np.random.RandomState
    found.append(draw())
    assert found == expected


def test_seeding_a_context_starts_its_stream_again_on_every_table() -> None:
    random.seed(3, cpu())
    expected = draw()
    with use_kernels("numpy"):
        random.seed(3, cpu())
    assert draw() == expected


@pytest.mark.slow
def test_devices_of_tables_that_were_swapped_are_freed(tiny: TinyTable) -> None:
    with use_kernels(tiny):
        nd.array([1, 2]) + nd.array([3, 4])
        device = weakref.ref(device_of(cpu()))
    gc.collect()
    assert device() is None


def test_each_table_draws_from_a_generator_of_its_own(tiny: TinyTable) -> None:
    random.seed(3)
    expected = nd.random.uniform(shape=(3,)).tolist()
    drawing = TinyTable("drawing", kernels=(*KERNELS, explain("_random_uniform").kernel))
    random.seed(3)
    with use_kernels(drawing):
        nd.random.uniform(shape=(3,))
    assert sum(drawing.calls.values()) == 1
    random.seed(3)
    assert nd.random.uniform(shape=(3,)).tolist() == expected


# --- kernels ----------------------------------------------------------------------------------


def test_a_missing_kernel_names_itself_and_the_tables_tried(tiny: TinyTable) -> None:
    message = r"no kernel in table 'tiny'; choose another one with hy_ndarray\.use_kernels.*"
    with use_kernels(tiny):
        x = nd.array([1])
        with pytest.raises(KernelError, match=message + "\nin operator softmax"):
            nd.softmax(x)
        with pytest.raises(KernelError, match=message):
            explain("exp", x)


def test_a_table_falls_back_to_another_of_the_same_buffers(tiny: TinyTable) -> None:
    first = TinyTable("first", kernels=("broadcast_add",), fallback="tiny")
    with use_kernels(first):
        x = nd.array([1, 2])
        assert ((x + x) * x).tolist() == [2, 8]
        assert (first.calls, tiny.calls) == ({"broadcast_add": 1}, {"broadcast_mul": 1})
        with pytest.raises(KernelError, match="no kernel in table 'first', 'tiny'"):
            nd.softmax(x)


def test_explain_tells_which_table_runs_an_operator(tiny: TinyTable) -> None:
    x = nd.array([1], cpu(1))
    plain = explain("elemwise_add", x)
    assert (plain.operator, plain.context, plain.table) == ("elemwise_add", cpu(1), "numpy")
    assert plain.skipped == ()
    first = TinyTable("first", kernels=("broadcast_add",), fallback="tiny")
    with use_kernels(first):
        assert explain("broadcast_add").table == "first"
        assert str(explain("broadcast_mul", ctx=cpu(2))) == (
            "broadcast_mul on cpu(2): kernel 'broadcast_mul' of table 'tiny' ('first' has none)"
        )


def test_a_kernel_may_return_a_numpy_array(tiny: TinyTable) -> None:
    class Lazy(TinyTable):
        def find(self, kernel: str) -> Any:
            def add(*blocks: Block) -> Any:
                return np.stack([block.values for block in blocks]).sum(axis=0)

            return Kernel(kernel, add)

    with use_kernels(Lazy("lazy")):
        y = nd.array([1, 2]) + nd.array([3, 4])
        assert buffer_type(y) is Block
        assert y.tolist() == [4, 6]


def test_a_table_that_gives_functions_for_records_is_refused(tiny: TinyTable) -> None:
    class Bare(TinyTable):
        def find(self, kernel: str) -> Any:  # noqa: ARG002
            return lambda *blocks: blocks[0]

    message = "broadcast_add: table 'bare' returned a function, which is not a Kernel: it"
    with use_kernels(Bare("bare")), pytest.raises(KernelError, match=message):
        nd.array([1, 2]) + nd.array([3, 4])


def test_a_failing_kernel_is_explained(tiny: TinyTable) -> None:
    class Failing(TinyTable):
        def find(self, kernel: str) -> Any:
            def fail(*blocks: Block) -> Block:
                raise RuntimeError("out of order")

            return Kernel(kernel, fail)

    message = r"broadcast_add: the kernel failed on lhs \(2,\) float32, .*: RuntimeError: out of"
    with use_kernels(Failing("failing")), pytest.raises(KernelError, match=message):
        nd.array([1, 2]) + nd.array([3, 4])
