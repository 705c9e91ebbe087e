"""Helpers for tests: comparisons, numerical gradients, random arrays, datasets."""

from hy_ndarray.suggestion import suggest_members as _suggest_members
from mxnet.runtime import Features as Features
from mxnet.test_utils.arrays import *  # noqa: F403
from mxnet.test_utils.comparing import *  # noqa: F403
from mxnet.test_utils.consistency import *  # noqa: F403
from mxnet.test_utils.datasets import *  # noqa: F403
from mxnet.test_utils.gradients import *  # noqa: F403
from mxnet.test_utils.running import *  # noqa: F403
from mxnet.test_utils.sparse_arrays import *  # noqa: F403
from mxnet.test_utils.statistics import *  # noqa: F403
from mxnet.test_utils.tolerances import *  # noqa: F403
from mxnet.util import (
    get_cuda_compute_capability as get_cuda_compute_capability,
    getenv as getenv,
    setenv as setenv,
    use_np as use_np,
)

_suggest_members(globals())
