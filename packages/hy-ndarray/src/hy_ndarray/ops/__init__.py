"""Operator catalogue: importing this package declares every operator."""

from hy_ndarray.devices._index_checks import IndexedOperator, declare_indices
from hy_ndarray.ops import np as np, optimizer as optimizer
from hy_ndarray.ops.compositions import (
    activations as _activations,  # noqa: F401
    differences as _differences,  # noqa: F401
    joins as _joins,  # noqa: F401
    layers as _layers,  # noqa: F401
    layout as _layout,  # noqa: F401
    losses as _losses,  # noqa: F401
    matrices as _matrices,  # noqa: F401
    normalization as _normalization,  # noqa: F401
    numbers as _numbers,  # noqa: F401
    places as _places,  # noqa: F401
    pointwise as _pointwise,  # noqa: F401
    products as _products,  # noqa: F401
    quantized as _quantized,  # noqa: F401
    random as _random,  # noqa: F401
    reductions as _reductions,  # noqa: F401
    sequences as _sequences,  # noqa: F401
    slices as _slices,  # noqa: F401
    vision as _vision,  # noqa: F401
)
from hy_ndarray.ops.elementwise import (
    activations as activations,
    arithmetic as arithmetic,
    broadcast as broadcast,
    casting as casting,
    compare as compare,
    exponential as exponential,
    identity as identity,
    quantization as quantization,
    rounding as rounding,
    scalar as scalar,
    special as special,
    trigonometry as trigonometry,
    unary as unary,
)
from hy_ndarray.ops.indexing import gathering as gathering, ordering as ordering, take as take
from hy_ndarray.ops.linalg import (
    decomposition as decomposition,
    matrices as matrices,
    products as products,
    spectral as spectral,
)
from hy_ndarray.ops.nn import (
    activation as activation,
    conv as conv,
    cross_entropy as cross_entropy,
    ctc as ctc,
    deconv as deconv,
    dense as dense,
    dropout as dropout,
    loss as loss,
    pool as pool,
    quantized as quantized,
    rnn as rnn,
    softmax as softmax,
)
from hy_ndarray.ops.nn.attention import (
    dot_product as dot_product,
    interleaved as interleaved,
    rotary as rotary,
)
from hy_ndarray.ops.nn.normalization import (
    local as local,
    norm as norm,
    norm_gradients as norm_gradients,
    rms as rms,
)
from hy_ndarray.ops.optimizer.kernels import StepKernel as StepKernel
from hy_ndarray.ops.random import (
    densities as densities,
    distributions as distributions,
    point_process as point_process,
    sampling as sampling,
)
from hy_ndarray.ops.record.binding import (
    Bound as Bound,
    Signature as Signature,
    is_operand as is_operand,
)
from hy_ndarray.ops.record.composition import (
    Composition as Composition,
    PartialType as PartialType,
    Program as Program,
    Tracer as Tracer,
)
from hy_ndarray.ops.record.derived import composition as composition, derived as derived
from hy_ndarray.ops.record.indices import Indices as Indices
from hy_ndarray.ops.record.numbers import RunTimeNumber as RunTimeNumber
from hy_ndarray.ops.record.operand import Operand as Operand
from hy_ndarray.ops.record.params import (
    NOT_GIVEN as NOT_GIVEN,
    Count as Count,
    NotGiven as NotGiven,
    Param as Param,
)
from hy_ndarray.ops.record.rules import numbered as numbered
from hy_ndarray.ops.record.schema import (
    Gradient as Gradient,
    Operator as Operator,
    OperatorFunction as OperatorFunction,
    Saved as Saved,
    exists as exists,
    find as find,
    names as names,
    operator as operator,
    operators as operators,
    pointwise as pointwise,
    synonym as synonym,
)
from hy_ndarray.ops.record.traits import Quantized as Quantized, Rows as Rows, Traits as Traits
from hy_ndarray.ops.record.types import (
    PartialShape as PartialShape,
    TensorType as TensorType,
    merge_shapes as merge_shapes,
)
from hy_ndarray.ops.reduce import reductions as reductions, statistics as statistics
from hy_ndarray.ops.shaping import (
    axes as axes,
    creation as creation,
    expanding as expanding,
    joining as joining,
    reshape as reshape,
    sequence as sequence,
    slicing as slicing,
)
from hy_ndarray.ops.vision import (
    anchors as anchors,
    coordinates as coordinates,
    deformable as deformable,
    detection as detection,
    image as image,
    image_color as image_color,
    image_files as image_files,
    patches as patches,
    position_sensitive as position_sensitive,
    proposals as proposals,
    region as region,
    resize as resize,
    roi_align as roi_align,
    sampler as sampler,
)

declare_indices(
    {
        op.kernel: IndexedOperator(op.name, op.inputs, op.traits.indices)
        for op in operators()
        if op.traits.indices and op.synonym_of is None
    }
)
