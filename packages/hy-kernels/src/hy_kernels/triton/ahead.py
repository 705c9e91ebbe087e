"""Ahead-of-time compilation of launches, also without a GPU, and the resources that kernels use."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from hy_kernels.triton.runtime._launch import Launch

__all__ = ["Resources", "compiled"]

_TYPES = {
    torch.float64: "*fp64",
    torch.float32: "*fp32",
    torch.float16: "*fp16",
    torch.bfloat16: "*bf16",
    torch.float8_e4m3fn: "*fp8e4nv",
    torch.int64: "*i64",
    torch.int32: "*i32",
    torch.int8: "*i8",
    torch.uint8: "*u8",
    torch.bool: "*i1",
}
_ALIGNED = 16  # bytes, for which Triton specialises pointers
_CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"


class Resources(NamedTuple):
    """Resources of one compiled kernel, and the instructions that it loads and multiplies with."""

    registers: int
    """Registers per thread."""
    shared: int
    """Bytes of shared memory per program."""
    spilled: int
    """Bytes of spilled registers per thread."""
    loads: str
    """Best kind of load in the code: ``"tma"`` by descriptors, ``"async"`` copies to shared memory,
    ``"vectors"`` of several elements, else ``"elements"``; ``""`` without loads."""
    products: str
    """Instruction of matrix products: ``"wgmma"``, ``"mma"``, or ``""`` for none."""


def compiled(launch: Launch, capability: int) -> Resources:
    """Compile the kernel of a recorded launch to the machine code of a GPU; return its resources.

    Args:
        launch: The launch; see :func:`hy_kernels.triton.runtime._launch.recorded`.
        capability: Compute capability: 80 for A100, 90 for H100 and H200.
    """
    signature: dict[str, str] = {}
    constants: dict[str, Any] = dict(launch.constants)
    attributes: dict[tuple[int, ...], list[list[Any]]] = {}
    values = iter(launch.arguments)
    # As Triton's own launcher specialises: 1 is a constant, and of multiples of 16 the code may
    # know that, by which loads become vectors.
    for k, parameter in enumerate(launch.kernel.params):
        if parameter.name in launch.constants:
            signature[parameter.name] = "constexpr"
            continue
        value = next(values)
        signature[parameter.name] = kind = _type(value)
        if kind == "constexpr":
            constants[parameter.name] = value
        elif kind[0] == "*" or (isinstance(value, int) and value % _ALIGNED == 0):
            attributes[k,] = [["tt.divisibility", _ALIGNED]]
    source = ASTSource(launch.kernel, signature, constants, attributes)
    target = GPUTarget("cuda", capability, 32)
    options = {
        "num_warps": launch.warps,
        "num_stages": launch.stages,
        "enable_fp_fusion": True,
    }
    result = triton.compile(source, target=target, options=options)
    code = result.asm["ptx"]
    return _resources(result.asm["cubin"], result.metadata.shared, _loads(code), _products(code))


def _type(value: Any) -> str:
    """Return the signature type of an argument; Triton compiles 1 and None into the code."""
    if isinstance(value, torch.Tensor):
        return _TYPES[value.dtype]
    if value is None or (value == 1 and isinstance(value, int)):
        return "constexpr"
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, float):
        return "fp32"
    return "i32" if -(2**31) <= value < 2**31 else "i64"


def _loads(code: str) -> str:
    if "cp.async.bulk.tensor" in code:
        return "tma"
    if re.search(r"\bcp\.async\.(c[ag]|bulk)", code):
        return "async"
    if re.search(r"\bld\.global[\w.:]*\.v[248]\.", code):
        return "vectors"
    return "elements" if "ld.global" in code else ""


def _products(code: str) -> str:
    return "wgmma" if "wgmma.mma_async" in code else "mma" if "mma.sync" in code else ""


def _resources(binary: bytes, shared: int, loads: str, products: str) -> Resources:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(binary)
        command = [str(_CUOBJDUMP), "--dump-resource-usage", str(file)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # part of Triton
    # ptxas counts what it spills as stack of a thread, or as local memory.
    used = re.search(r"REG:(\d+) STACK:(\d+) .*LOCAL:(\d+)", done.stdout)
    assert used is not None, done.stdout
    registers, stack, local = map(int, used.groups())
    return Resources(registers, shared, stack + local, loads, products)
