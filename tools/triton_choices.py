"""Write what is taken unmeasured on GPUs: ``python -m tools.triton_choices``.

The files beside the Triton table's code, one for each compute capability, have the form of those
that ``HY_AUTOTUNE=full`` writes. Their ways are heuristics' choices for the benchmark's cases:
cuBLAS and cuDNN for products and convolutions, and for attention the tiles that spill no register.
Nobody has measured them; who has a GPU replaces them by its own file's ways.
"""

import json
from collections.abc import Callable, Hashable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hy_kernels.triton
from benchmarks.gpu_cases import cases
from hy_kernels.triton.linalg import matmul
from hy_kernels.triton.nn import _images
from hy_kernels.triton.nn.attention import dot_product
from hy_kernels.triton.runtime import _tune
from hy_kernels.triton.runtime._launch import recorded
from tools.triton_resources import CAPABILITIES

__all__ = ["choices"]

_FOLDER = Path(hy_kernels.triton.__file__).parent / "choices"
_LIBRARY = "library"


def choices(capability: int) -> dict[str, str]:
    """Return what is taken for each class of calls of the benchmark, on a GPU of a capability."""
    found: dict[str, str] = {}

    def choose(
        name: str,
        problem: tuple[Hashable, ...],
        sizes: tuple[int, ...],
        ways: Callable[[], Mapping[str, Any]],
        *,
        untuned: str,
        **_: Any,
    ) -> str:
        words = map(str, (name, *problem, _tune.shape_class(*sizes)))
        found[" ".join(words)] = _LIBRARY if _LIBRARY in ways() else untuned
        return untuned

    with ExitStack() as stack:
        for module in (matmul, _images, dot_product):
            stack.enter_context(patch.object(module, "choose", choose))
        stack.enter_context(recorded(capability))
        for case in cases("meta"):
            if case.hot:
                case.run()
    return found


def _write() -> None:
    _FOLDER.mkdir(exist_ok=True)
    for capability in CAPABILITIES:
        ways = dict(sorted(choices(capability).items()))
        content = json.dumps({"version": _tune.VERSION, "ways": ways}, indent=1)
        (_FOLDER / f"sm_{capability}.json").write_text(content + "\n", "utf-8")


if __name__ == "__main__":
    _write()
