"""Tensor core: arrays, contexts, the operator catalogue, automatic differentiation."""

from hy_ndarray import (
    autograd as autograd,
    custom as custom,
    foreign as foreign,
    namespaces as namespaces,
    nd as nd,
    np as np,
    npx as npx,
    ops as ops,
    profiler as profiler,
    random as random,
    suggestion as suggestion,
    warning as warning,
)
from hy_ndarray._dtypes import (
    DTYPES as DTYPES,
    FLAGS as FLAGS,
    dtype_name as dtype_name,
    numpy_type as numpy_type,
)
from hy_ndarray._errors import (
    ArgumentError as ArgumentError,
    AutogradError as AutogradError,
    ContextError as ContextError,
    DTypeError as DTypeError,
    GradRequestError as GradRequestError,
    HyError as HyError,
    IndexingError as IndexingError,
    KernelError as KernelError,
    KernelValueError as KernelValueError,
    NoNumPyArrayError as NoNumPyArrayError,
    OperandError as OperandError,
    OutOfMemoryError as OutOfMemoryError,
    ShapeError as ShapeError,
    SymbolOperandError as SymbolOperandError,
    TransformError as TransformError,
    UnsupportedError as UnsupportedError,
    kernel_failure as kernel_failure,
)
from hy_ndarray.array._explanation import Explanation as Explanation, explain as explain
from hy_ndarray.array._functions import all_outputs as all_outputs, invoke as invoke
from hy_ndarray.array.ndarray import NDArray as NDArray
from hy_ndarray.core import casting as casting, semantics as semantics
from hy_ndarray.core._array import in_graph as in_graph, refill as refill
from hy_ndarray.core._dispatch import kernel_arguments as kernel_arguments
from hy_ndarray.core._migration import buffers_of as buffers_of, migrate as migrate
from hy_ndarray.core._scopes import is_followed as is_followed
from hy_ndarray.core._state import (
    is_np_array as is_np_array,
    is_np_shape as is_np_shape,
    set_np_array as set_np_array,
    set_np_shape as set_np_shape,
)
from hy_ndarray.devices import instrumentation as instrumentation
from hy_ndarray.devices._device import Device as Device
from hy_ndarray.devices._levels import LiftedError as LiftedError
from hy_ndarray.devices._lowering import (
    LoweringGraph as LoweringGraph,
    LoweringTable as LoweringTable,
    PrivateOperator as PrivateOperator,
    Rewriting as Rewriting,
)
from hy_ndarray.devices._protocols import (
    BorrowingTable as BorrowingTable,
    Buffer as Buffer,
    BufferLike as BufferLike,
    BufferType as BufferType,
    CapturingTable as CapturingTable,
    FusingTable as FusingTable,
    Kernel as Kernel,
    KernelFunction as KernelFunction,
    KernelTable as KernelTable,
    LenientTable as LenientTable,
    LimitedTable as LimitedTable,
    Limits as Limits,
    Memory as Memory,
    Params as Params,
    PinningMemory as PinningMemory,
    PointwiseGroup as PointwiseGroup,
    PointwiseStep as PointwiseStep,
    ServedContext as ServedContext,
    ThreadedTable as ThreadedTable,
)
from hy_ndarray.devices._selection import (
    check_indices as check_indices,
    device_of as device_of,
    inherit_tables as inherit_tables,
    use_kernels as use_kernels,
)
from hy_ndarray.devices._step_protocols import (
    Step as Step,
    StepFormula as StepFormula,
    SteppingTable as SteppingTable,
    StepRule as StepRule,
)
from hy_ndarray.devices._tables import (
    installed_tables as installed_tables,
    kernel_table as kernel_table,
)
from hy_ndarray.devices._user_line import user_line as user_line
from hy_ndarray.devices.context import (
    Context as Context,
    cpu as cpu,
    cpu_pinned as cpu_pinned,
    current_context as current_context,
    gpu as gpu,
    num_gpus as num_gpus,
)
from hy_ndarray.ops import Operand as Operand

namespaces.register("nd", np=np, npx=npx)  # they are built on it
namespaces.register_lazily("np", "hy_ndarray.array_api", "array_api")
namespaces.register_lazily("np", "hy_ndarray.array_api._operators", "by_standard")
