"""The record of a kernel, entered where its function is defined."""

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hy_kernels
from hy_kernels.record import Kernel, Kernels, by_params, by_types


def test_a_function_stays_as_it_is_and_is_found_with_what_was_said_of_it() -> None:
    kernels = Kernels()

    def double(data: Any, *, out: Any = None) -> Any:
        return np.multiply(data, 2, out=None if out is None else out[0])

    assert kernels.kernel(pointwise=True, threads=8)(double) is double
    assert kernels.find("double") == Kernel("double", double, "in place", True, 8)
    assert kernels.find("triple") is None


def test_an_alias_has_the_facts_of_the_kernel() -> None:
    kernels = Kernels()
    kernels.alias("minus", kernels.kernel("negative", pointwise=True)(np.negative))
    assert kernels.names() == ("minus", "negative")
    assert kernels.find("minus") == Kernel("minus", np.negative, "in place", True)


def test_a_name_is_given_once() -> None:
    kernels = Kernels()
    kernels.kernel("negative", pointwise=True)(np.negative)
    with pytest.raises(ValueError, match="kernel 'negative' is defined twice"):
        kernels.alias("negative", np.negative)


def test_a_function_for_parameters_is_made_with_the_kernel_that_has_them() -> None:
    kernels = Kernels()

    def make(params: Any, general: Any) -> Any:
        return None if params["by"] == 1 else lambda data: general(data) + 100

    @kernels.kernel(specialize=by_params(make))
    def times(data: Any, *, by: int) -> Any:
        return data * by

    found = kernels.find("times")
    assert found is not None
    assert found.specialize is not None
    assert found.specialize(None, {"by": 1}) is None
    assert found.specialize([((2,), "float32")], {"by": 3}) is None
    bound = found.specialize(None, {"by": 3})
    assert bound is not None
    assert bound(2) == 106


def test_a_function_for_types_is_made_for_steps_alone() -> None:
    kernels = Kernels()

    @kernels.kernel(specialize=by_types(lambda types, _: lambda data: (types, data)))
    def itself(data: Any) -> Any:
        return data

    found = kernels.find("itself")
    assert found is not None
    assert found.specialize is not None
    assert found.specialize(None, {}) is None
    special = found.specialize([((2,), "float32")], {})
    assert special is not None
    assert special(1) == ([((2,), "float32")], 1)


def test_an_alias_needs_a_kernel() -> None:
    with pytest.raises(ValueError, match=r"alias .minus.: no kernel .*negative"):
        Kernels().alias("minus", np.negative)


def test_a_pointwise_kernel_writes_in_place() -> None:
    with pytest.raises(ValueError, match="a pointwise kernel takes out= in place, not 'apart'"):
        Kernel("negative", np.negative, "apart", pointwise=True)


def listed(source: str) -> list[str]:
    """The modules that a table's list of kernels names."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES":
            assert isinstance(node.value, ast.Call)
            words = str(ast.literal_eval(node.value.args[1])).split()
            return [word.removesuffix(":") for word in words if word.endswith(":")]
    raise AssertionError("no list of kernels")


def test_the_torch_table_loads_each_file_that_has_kernels() -> None:
    folder = Path(hy_kernels.__file__).parent / "torch"
    found = {
        folder / f"{each.replace('.', '/')}.py"
        for each in listed((folder / "_index.py").read_text("utf-8"))
    }
    having = {path for path in folder.rglob("*.py") if "\n@kernel(" in path.read_text("utf-8")}
    assert having
    assert {str(path) for path in having - found if path.name != "_host.py"} == set()
