"""The torch table: which kernels it has, which are numpy's, and what it does with tensors."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.torch import TorchTable, table
from hy_ndarray import ContextError, cpu, device_of, gpu, kernel_table, nd, random, use_kernels
from tests.kernels.derived import catalogue, kernel_of, uncomposed

DTYPES = ("float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool", "bfloat16")
CPU = torch.device("cpu")

memory = table().memory


def test_it_has_every_kernel_of_the_catalogue() -> None:
    assert set(table().names()) >= uncomposed()


def test_the_list_of_its_kernels_is_current() -> None:
    """In a fresh process: it reads what modules enter while they are imported."""
    command = [sys.executable, "-m", "tools.kernel_index", "torch", "--check"]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_it_loads_what_is_asked_for_alone() -> None:
    told = """
        import sys
        from hy_kernels.torch import table
        table().find("relu")
        table().find("no_such_kernel")
        print([m for m in sys.modules if m.startswith("hy_kernels.torch.nn.r")])
    """
    command = [sys.executable, "-c", textwrap.dedent(told)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def test_it_is_found_by_its_entry_point() -> None:
    assert isinstance(kernel_table("torch"), TorchTable)


def function_of(name: str) -> Any:
    found = table().find(name)
    assert found is not None
    return found.function


def test_pointwise_kernels_are_the_same_in_both_tables() -> None:
    def pointwise(tested: Any) -> set[str]:
        return {name for name in catalogue() if kernel_of(tested, name).pointwise}

    assert pointwise(table()) == pointwise(numpy_table())


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_survive_the_way_to_tensors_and_back(dtype: str) -> None:
    values = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    tensor = memory.from_numpy(values, CPU)
    assert memory.dtype(tensor) == dtype
    back = memory.to_numpy(tensor)
    assert back.dtype == values.dtype
    np.testing.assert_array_equal(back, values)


def test_memory_is_shared_where_both_can_and_copied_where_not() -> None:
    values = np.arange(4.0)
    shared = memory.from_dlpack(values, CPU)
    shared[0] = 7
    assert values[0] == 7
    values.flags.writeable = False
    memory.from_dlpack(values, CPU)[0] = 9
    memory.from_dlpack(values[::-1], CPU)[0] = 9
    assert values.tolist() == [7, 1, 2, 3]


def test_what_is_written_is_cast_and_broadcast_both_ways() -> None:
    target = torch.zeros(())
    memory.write(target, torch.tensor([[2]]))
    assert float(target) == 2
    row = torch.zeros(2, 2)
    memory.write(row, torch.tensor([True, False]))
    assert row.tolist() == [[1, 0], [1, 0]]


def test_parts_that_overlap_are_copied_as_they_were() -> None:
    for step in (1, 2):
        x = torch.arange(8.0)
        memory.write(x[step::step], x[:-step:step])
        expected = np.arange(8.0)
        expected[step::step] = np.arange(8.0)[:-step:step]
        assert x.tolist() == expected.tolist()


def test_a_part_of_one_element_may_be_read_backwards() -> None:
    with use_kernels("torch"):
        assert nd.array([[1.0, 2.0]])[0, 1:0:-1].asnumpy().tolist() == [2.0]


def test_bfloat16_is_shared_with_numpy() -> None:
    tensor = torch.zeros(2, dtype=torch.bfloat16)
    array = memory.to_numpy(tensor)
    array[0] = 2.5
    assert array.dtype == ml_dtypes.bfloat16
    assert tensor.tolist() == [2.5, 0]


def test_a_dtype_that_tensors_lack_is_named() -> None:
    with pytest.raises(TypeError, match="no tensors of dtype 'datetime64"):
        memory.from_numpy(np.zeros(2, "datetime64[s]"), CPU)


def test_a_parameter_of_torch_s_is_taken_over_as_a_plain_tensor() -> None:
    parameter = torch.nn.Parameter(torch.ones(2))
    taken = memory.from_dlpack(parameter, CPU)
    assert type(taken) is torch.Tensor
    assert not taken.requires_grad
    assert taken.data_ptr() == parameter.data_ptr()


def test_the_span_of_a_view_ends_with_its_last_element() -> None:
    whole = torch.zeros(4, 6)
    start, _ = memory.span(whole)
    assert memory.span(whole) == (start, start + 96)
    assert memory.span(whole[1:3, ::2]) == (start + 24, start + 24 + 24 + 20)
    low, high = memory.span(whole[:0])
    assert low == high


def test_arrays_move_between_the_tables_and_keep_their_memory() -> None:
    x = nd.array([1.0, 2.0])
    before = x.buffer
    with use_kernels("torch"):
        x += 1
        assert type(x.buffer) is torch.Tensor
        np.testing.assert_array_equal(before, [2, 3])
    assert (x * 2).asnumpy().tolist() == [4, 6]


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "bool"])
def test_whole_numbers_divided_by_0_and_minus_1_do_not_end_the_process(dtype: str) -> None:
    lowest = 0 if dtype == "bool" else np.iinfo(dtype).min
    values = np.array([lowest, 5, 0]).astype(dtype)
    for name in ("broadcast_div", "broadcast_mod"):
        for divisor in (0, -1):
            by = np.full(3, divisor).astype(dtype)
            theirs = numpy_table().find(name)
            assert theirs is not None
            ours = function_of(name)(memory.from_numpy(values, CPU), memory.from_numpy(by, CPU))
            np.testing.assert_array_equal(memory.to_numpy(ours), theirs.function(values, by))


def test_a_number_beyond_a_dtype_is_infinite() -> None:
    with use_kernels("torch"):
        x = nd.array([1.0, -2.0], dtype="float16")
        assert nd.clip(x, -1e6, 1e6).asnumpy().tolist() == [1, -2]
        assert (x < 1e6).asnumpy().tolist() == [1, 1]
        assert (x + 1e6).asnumpy().tolist() == [np.inf, np.inf]


def test_the_stream_of_a_context_goes_on_when_tables_are_swapped() -> None:
    def drawn(count: int) -> list[float]:
        with use_kernels("torch"):
            found: list[float] = nd.random.uniform(shape=(count,)).asnumpy().tolist()
            return found

    random.seed(3)
    first = drawn(2) + drawn(2)
    random.seed(3)
    assert drawn(2) + drawn(2) == first
    random.seed(4)
    assert drawn(4) != first


@pytest.mark.slow
def test_threads_may_ask_for_the_first_kernel_at_once() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from hy_kernels.torch import table
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(table().find, ["relu", "imread"] * 8))
assert {kernel.name for kernel in found} == {"relu", "imread"}
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)  # noqa: S603  # our own program


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_a_process_that_computed_in_threads_computes_alone() -> None:
    program = """
import os
from hy_ndarray import nd, use_kernels
use_kernels("torch")
x = nd.ones((2000, 2000))
assert x.sum().asscalar() == 4e6
child = os.fork()
if child == 0:
    os._exit(int((x + x).sum().asscalar() != 8e6))
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)  # noqa: S603  # our own program


@pytest.mark.skipif(table().count("gpu") > 0, reason="there is one")
def test_a_gpu_that_is_not_there_is_named() -> None:
    with pytest.raises(ContextError, match=r"gpu\(0\)"):
        nd.ones((2,), ctx=gpu(0))


@pytest.mark.parametrize("pool_type", ["max", "avg", "sum"])
def test_pooling_windows_of_one_element_gives_a_copy(pool_type: Any) -> None:
    with use_kernels("torch"):
        x = nd.ones((1, 2, 3, 3))
        y = nd.Pooling(x, kernel=(1, 1), pool_type=pool_type)
        y[:] = 5
        assert x.asnumpy().max() == 1


def test_nothing_is_captured_on_the_cpu() -> None:
    x = torch.ones(2)
    assert table().capture(lambda given: (given[0] * 2,), [x], (), (), CPU) is None


def test_nothing_is_to_be_captured_on_a_cpu() -> None:
    with use_kernels("torch"):
        assert device_of(cpu()).captures is None


def test_tasks_of_sparse_arrays_may_run_at_once() -> None:
    assert table().together([lambda: 1, lambda: 2]) == [1, 2]


def test_looking_a_kernel_up_imports_its_family_alone() -> None:
    program = (
        "import sys; from hy_kernels.torch import table; table().find('relu')\n"
        "print([name for name in ("
        "'elementwise.activations', 'reduce.statistics', 'vision.image_files') "
        "if f'hy_kernels.torch.{name}' in sys.modules])"
    )
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", program], check=True, timeout=120, capture_output=True, text=True
    )
    assert done.stdout.strip() == "['elementwise.activations']"
