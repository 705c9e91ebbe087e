"""Rules of jvp, which compute directional derivatives, by families of operators."""

from hy_ndarray.transforms.forward import (
    bilinear as bilinear,
    inverses as inverses,
    linear as linear,
    symmetric as symmetric,
)
