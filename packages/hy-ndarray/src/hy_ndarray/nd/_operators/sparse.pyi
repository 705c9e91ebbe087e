# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.ndarray import NDArray
from hy_ndarray.nd._operators import add_n as ElementWiseSum
from hy_ndarray.nd._operators import Embedding as Embedding
from hy_ndarray.nd._operators import LinearRegressionOutput as LinearRegressionOutput
from hy_ndarray.nd._operators import LogisticRegressionOutput as LogisticRegressionOutput
from hy_ndarray.nd._operators import MAERegressionOutput as MAERegressionOutput
from hy_ndarray.nd._operators.contrib import round_ste as _contrib_round_ste
from hy_ndarray.nd._operators.contrib import sign_ste as _contrib_sign_ste
from hy_ndarray.nd._operators import abs as abs
from hy_ndarray.nd._operators import adam_update as adam_update
from hy_ndarray.nd._operators import add_n as add_n
from hy_ndarray.nd._operators import arccos as arccos
from hy_ndarray.nd._operators import arccosh as arccosh
from hy_ndarray.nd._operators import arcsin as arcsin
from hy_ndarray.nd._operators import arcsinh as arcsinh
from hy_ndarray.nd._operators import arctan as arctan
from hy_ndarray.nd._operators import arctanh as arctanh
from hy_ndarray.nd._operators import broadcast_add as broadcast_add
from hy_ndarray.nd._operators import broadcast_div as broadcast_div
from hy_ndarray.nd._operators import broadcast_sub as broadcast_minus
from hy_ndarray.nd._operators import broadcast_mul as broadcast_mul
from hy_ndarray.nd._operators import broadcast_add as broadcast_plus
from hy_ndarray.nd._operators import broadcast_sub as broadcast_sub
from hy_ndarray.nd._operators import cbrt as cbrt
from hy_ndarray.nd._operators import ceil as ceil
from hy_ndarray.nd._operators import clip as clip
from hy_ndarray.nd._operators import Concat as concat
from hy_ndarray.nd._operators import cos as cos
from hy_ndarray.nd._operators import cosh as cosh
from hy_ndarray.nd._operators import degrees as degrees
from hy_ndarray.nd._operators import dot as dot
from hy_ndarray.nd._operators import elemwise_add as elemwise_add
from hy_ndarray.nd._operators import elemwise_div as elemwise_div
from hy_ndarray.nd._operators import elemwise_mul as elemwise_mul
from hy_ndarray.nd._operators import elemwise_sub as elemwise_sub
from hy_ndarray.nd._operators import exp as exp
from hy_ndarray.nd._operators import expm1 as expm1
from hy_ndarray.nd._operators import fix as fix
from hy_ndarray.nd._operators import floor as floor
from hy_ndarray.nd._operators import ftrl_update as ftrl_update
from hy_ndarray.nd._operators import gamma as gamma
from hy_ndarray.nd._operators import gammaln as gammaln
from hy_ndarray.nd._operators import log as log
from hy_ndarray.nd._operators import log10 as log10
from hy_ndarray.nd._operators import log1p as log1p
from hy_ndarray.nd._operators import log2 as log2
from hy_ndarray.nd._operators import make_loss as make_loss
from hy_ndarray.nd._operators import mean as mean
from hy_ndarray.nd._operators import negative as negative
from hy_ndarray.nd._operators import norm as norm
from hy_ndarray.nd._operators import radians as radians
from hy_ndarray.nd._operators import relu as relu
from hy_ndarray.nd._operators import rint as rint
from hy_ndarray.nd._operators import round as round
from hy_ndarray.nd._operators import rsqrt as rsqrt
from hy_ndarray.nd._operators import sgd_mom_update as sgd_mom_update
from hy_ndarray.nd._operators import sgd_update as sgd_update
from hy_ndarray.nd._operators import sigmoid as sigmoid
from hy_ndarray.nd._operators import sign as sign
from hy_ndarray.nd._operators import sin as sin
from hy_ndarray.nd._operators import sinh as sinh
from hy_ndarray.nd._operators import slice as slice
from hy_ndarray.nd._operators import sqrt as sqrt
from hy_ndarray.nd._operators import square as square
from hy_ndarray.nd._operators import BlockGrad as stop_gradient
from hy_ndarray.nd._operators import sum as sum
from hy_ndarray.nd._operators import tan as tan
from hy_ndarray.nd._operators import tanh as tanh
from hy_ndarray.nd._operators import trunc as trunc
from hy_ndarray.nd._operators import where as where
from hy_ndarray.nd._operators import zeros_like as zeros_like

def adagrad_update(weight: NDArray, grad: NDArray, history: NDArray, lr: float,
        epsilon: float = 1e-07, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """AdaGrad: ``history += grad²``, then a step of ``lr * grad / sqrt(history + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        history: Sum of the squared gradients, overwritten; the type of ``weight``.
        lr: Learning rate.
        epsilon: Added to the sum.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.
    """
