"""Rules of jvp for tangents (directional derivatives), by family of operators."""

from hy_ndarray.transforms.forward import (
    bilinear as bilinear,
    inverses as inverses,
    linear as linear,
    symmetric as symmetric,
)
