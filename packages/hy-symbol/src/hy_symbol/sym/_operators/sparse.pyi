# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping
from typing import overload
from hy_symbol.symbol import Symbol
from hy_symbol.sym._operators import add_n as ElementWiseSum
from hy_symbol.sym._operators import Embedding as Embedding
from hy_symbol.sym._operators import LinearRegressionOutput as LinearRegressionOutput
from hy_symbol.sym._operators import LogisticRegressionOutput as LogisticRegressionOutput
from hy_symbol.sym._operators import MAERegressionOutput as MAERegressionOutput
from hy_symbol.sym._operators.contrib import round_ste as _contrib_round_ste
from hy_symbol.sym._operators.contrib import sign_ste as _contrib_sign_ste
from hy_symbol.sym._operators import abs as abs
from hy_symbol.sym._operators import adam_update as adam_update
from hy_symbol.sym._operators import add_n as add_n
from hy_symbol.sym._operators import arccos as arccos
from hy_symbol.sym._operators import arccosh as arccosh
from hy_symbol.sym._operators import arcsin as arcsin
from hy_symbol.sym._operators import arcsinh as arcsinh
from hy_symbol.sym._operators import arctan as arctan
from hy_symbol.sym._operators import arctanh as arctanh
from hy_symbol.sym._operators import broadcast_add as broadcast_add
from hy_symbol.sym._operators import broadcast_div as broadcast_div
from hy_symbol.sym._operators import broadcast_sub as broadcast_minus
from hy_symbol.sym._operators import broadcast_mul as broadcast_mul
from hy_symbol.sym._operators import broadcast_add as broadcast_plus
from hy_symbol.sym._operators import broadcast_sub as broadcast_sub
from hy_symbol.sym._operators import cbrt as cbrt
from hy_symbol.sym._operators import ceil as ceil
from hy_symbol.sym._operators import clip as clip
from hy_symbol.sym._operators import Concat as concat
from hy_symbol.sym._operators import cos as cos
from hy_symbol.sym._operators import cosh as cosh
from hy_symbol.sym._operators import degrees as degrees
from hy_symbol.sym._operators import dot as dot
from hy_symbol.sym._operators import elemwise_add as elemwise_add
from hy_symbol.sym._operators import elemwise_div as elemwise_div
from hy_symbol.sym._operators import elemwise_mul as elemwise_mul
from hy_symbol.sym._operators import elemwise_sub as elemwise_sub
from hy_symbol.sym._operators import exp as exp
from hy_symbol.sym._operators import expm1 as expm1
from hy_symbol.sym._operators import fix as fix
from hy_symbol.sym._operators import floor as floor
from hy_symbol.sym._operators import ftrl_update as ftrl_update
from hy_symbol.sym._operators import gamma as gamma
from hy_symbol.sym._operators import gammaln as gammaln
from hy_symbol.sym._operators import log as log
from hy_symbol.sym._operators import log10 as log10
from hy_symbol.sym._operators import log1p as log1p
from hy_symbol.sym._operators import log2 as log2
from hy_symbol.sym._operators import make_loss as make_loss
from hy_symbol.sym._operators import mean as mean
from hy_symbol.sym._operators import negative as negative
from hy_symbol.sym._operators import norm as norm
from hy_symbol.sym._operators import radians as radians
from hy_symbol.sym._operators import relu as relu
from hy_symbol.sym._operators import rint as rint
from hy_symbol.sym._operators import round as round
from hy_symbol.sym._operators import rsqrt as rsqrt
from hy_symbol.sym._operators import sgd_mom_update as sgd_mom_update
from hy_symbol.sym._operators import sgd_update as sgd_update
from hy_symbol.sym._operators import sigmoid as sigmoid
from hy_symbol.sym._operators import sign as sign
from hy_symbol.sym._operators import sin as sin
from hy_symbol.sym._operators import sinh as sinh
from hy_symbol.sym._operators import slice as slice
from hy_symbol.sym._operators import sqrt as sqrt
from hy_symbol.sym._operators import square as square
from hy_symbol.sym._operators import BlockGrad as stop_gradient
from hy_symbol.sym._operators import sum as sum
from hy_symbol.sym._operators import tan as tan
from hy_symbol.sym._operators import tanh as tanh
from hy_symbol.sym._operators import trunc as trunc
from hy_symbol.sym._operators import where as where
from hy_symbol.sym._operators import zeros_like as zeros_like

@overload
def adagrad_update(weight: Symbol, grad: Symbol, history: Symbol, lr: float, epsilon: float = 1e-07,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """AdaGrad: ``history += grad²``, then a step of ``lr * grad / sqrt(history + epsilon)``."""
@overload
def adagrad_update(weight: Symbol | None = None, grad: Symbol | None = None,
        history: Symbol | None = None, *, lr: float, epsilon: float = 1e-07, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
