"""``mx.mod``: symbols with parameters that are bound, trained, and used to predict."""

from hy_ndarray.suggestion import suggest_members as _suggest_members
from mxnet.module import (
    base_module as base_module,
    bucketing_module as bucketing_module,
    executor_group as executor_group,
    module as module,
    python_module as python_module,
    sequential_module as sequential_module,
)
from mxnet.module.base_module import BaseModule as BaseModule
from mxnet.module.bucketing_module import BucketingModule as BucketingModule
from mxnet.module.module import Module as Module
from mxnet.module.python_module import (
    PythonLossModule as PythonLossModule,
    PythonModule as PythonModule,
)
from mxnet.module.sequential_module import SequentialModule as SequentialModule

_suggest_members(globals())
