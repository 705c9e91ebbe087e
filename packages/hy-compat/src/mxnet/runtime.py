"""Features of this installation, by the names of MXNet's build features."""

from collections import OrderedDict
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from hy_ndarray import ArgumentError, num_gpus
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = ["Feature", "Features", "feature_list"]

_FEATURE_NAMES = (
    *("CUDA", "CUDNN", "NCCL", "CUDA_RTC", "TENSORRT", "CPU_SSE", "CPU_SSE2", "CPU_SSE3"),
    *("CPU_SSE4_1", "CPU_SSE4_2", "CPU_SSE4A", "CPU_AVX", "CPU_AVX2", "OPENMP", "SSE", "F16C"),
    *("JEMALLOC", "BLAS_OPEN", "BLAS_ATLAS", "BLAS_MKL", "BLAS_APPLE", "LAPACK", "MKLDNN"),
    *("OPENCV", "CAFFE", "PROFILER", "DIST_KVSTORE", "CXX14", "INT64_TENSOR_SIZE"),
    *("SIGNAL_HANDLER", "DEBUG", "TVM_OP"),
)
_BLAS = {"BLAS_OPEN": "openblas", "BLAS_ATLAS": "atlas", "BLAS_MKL": "mkl", "BLAS_APPLE": "accel"}
_INSTRUCTIONS = {
    "SSE": "SSE CPU_SSE",
    "SSE2": "CPU_SSE2",
    "SSE3": "CPU_SSE3",
    "SSE41": "CPU_SSE4_1",
    "SSE42": "CPU_SSE4_2",
    "AVX": "CPU_AVX",
    "F16C": "F16C",
    "AVX2": "CPU_AVX2",
    "X86_V2": "SSE CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2",
    "X86_V3": "CPU_AVX CPU_AVX2 F16C",
    "X86_V4": "",
}
"""Features by what numpy calls sets of instructions that it uses here."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Build feature, with the information whether this installation has it."""

    name: str
    enabled: bool
    """Whether this one can."""

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def _present() -> set[str]:
    """Return the names of the features of this installation."""
    features = {"LAPACK", "PROFILER", "INT64_TENSOR_SIZE"}
    if num_gpus() > 0:
        features.add("CUDA")
    if find_spec("PIL") is not None:  # what reads images here
        features.add("OPENCV")
    if find_spec("torch") is not None:  # what stores of several processes use
        features.add("DIST_KVSTORE")
    # Products run in NumPy's BLAS, so its build says which library and instructions there are.
    numpy: Any = np.show_config(mode="dicts")
    library = str(numpy.get("Build Dependencies", {}).get("blas", {}).get("name", "")).lower()
    features |= {feature for feature, text in _BLAS.items() if text in library}
    simd = numpy.get("SIMD Extensions", {})
    for used in (*simd.get("baseline", ()), *simd.get("found", ())):
        features.update(_INSTRUCTIONS.get(used, "").split())
    return features


def feature_list() -> list[Feature]:
    """Return the features of MXNet 1.9.1, each with the information whether hy has it.

    Features of MXNet's C++ library are always absent.
    """
    present = _present()
    return [Feature(name, name in present) for name in _FEATURE_NAMES]


class Features(OrderedDict[str, Feature]):
    """Build features by name; there is one object of this class.

    Example:
        >>> Features().is_enabled("profiler")
        True
    """

    instance: ClassVar["Features | None"] = None

    def __new__(cls) -> "Features":  # noqa: PYI034  # there is one
        """Return the only object of this class."""
        if cls.instance is None:
            features = super().__new__(cls)
            # Here, since Python calls __init__ again at every call of the class.
            OrderedDict.__init__(features, [(x.name, x) for x in feature_list()])
            cls.instance = features
        return cls.instance

    def __init__(self) -> None:
        """Do nothing: ``__new__`` sets the features."""

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Return whether this installation has a feature, ignoring case.

        Raises:
            ArgumentError: There is no such feature.
        """
        name = feature_name.upper()
        if name not in self:
            raise ArgumentError(f"feature {name!r} is unknown; known are {', '.join(self)}")
        return self[name].enabled


_suggest_members(globals())
