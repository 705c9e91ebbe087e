"""PyTorch is imported by those who ask for its table, and missed only by them."""

import subprocess
import sys

import pytest

HIDDEN = "import sys; sys.modules['torch'] = None\n"
"""Makes a process believe that PyTorch is not installed: find_spec and import both say so."""


def run(program: str) -> str:
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", program], check=True, timeout=120, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_importing_hy_does_not_import_torch() -> None:
    names = "hy_kernels, hy_io, hy_ndarray, hy_symbol, hy_gluon, mxnet"
    program = f"import {names}, sys; hy_ndarray.installed_tables(); print('torch' in sys.modules)"
    assert run(program) == "False"


@pytest.mark.slow
def test_the_table_without_torch_names_the_extra() -> None:
    program = HIDDEN + "import hy_ndarray as hy\ntry: hy.use_kernels('torch')\n"
    program += "except hy.KernelError as error: print(error)"
    assert "pip install 'hy-kernels[torch]'" in run(program)


def test_the_table_without_triton_names_the_extra() -> None:
    program = HIDDEN.replace("torch", "triton")
    program += "try: import hy_kernels.triton\nexcept ImportError as error: print(error)"
    assert "pip install 'hy-kernels[triton]'" in run(program)


@pytest.mark.slow
def test_without_torch_there_are_no_gpus() -> None:
    program = HIDDEN + "import hy_ndarray as hy\nprint(hy.num_gpus())\n"
    program += "try: hy.nd.ones((2,), ctx=hy.gpu(0))\nexcept hy.ContextError as e: print('typed')"
    assert run(program).split() == ["0", "typed"]


@pytest.mark.slow
def test_blocks_go_to_torch_where_the_extra_is() -> None:
    program = HIDDEN + "import hy_gluon as hy\nnet = hy.nn.Dense(2, in_units=3)\nnet.initialize()\n"
    program += (
        "try: hy.to_torch(net)\nexcept Exception as error: print(type(error).__name__, error)"
    )
    assert run(program).startswith("KernelError")
    assert "pip install 'hy-kernels[torch]'" in run(program)
