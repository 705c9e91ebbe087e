"""The rules by which optimizers change a weight, element by element.

Each takes the weight, the gradient and states, then numbers; it gives the new weight and states.
They are Nesterov's gradient (Sutskever et al., 2013), signs (Bernstein et al., 2018), RMSProp
(Tieleman and Hinton, 2012; Graves, 2013), AdaGrad (Duchi et al., 2011), FTRL (McMahan et al.,
2013), FTML (Zheng and Kwok, 2017), LAMB (You et al., 2020) and LARS (You et al., 2017).
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.pointwise import sign
from hy_kernels.triton.device.rows import largest, smallest


@triton.jit
def _within(x, bound):
    """Within the bounds, which are infinite where there are none; nan stays."""
    return smallest(largest(x, -bound), bound)


@triton.jit
def nag_mom(weight, grad, mom, lr, momentum, wd, rescale_grad, clip_gradient):
    """Nesterov: the step is taken where the velocity leads."""
    g = lr * (_within(grad * rescale_grad, clip_gradient) + wd * weight)
    mom = momentum * mom - g
    return weight + momentum * mom - g, mom


@triton.jit
def signsgd(weight, grad, lr, wd, rescale_grad):
    """A step of fixed size against the sign of the gradient."""
    return weight - lr * (sign(grad * rescale_grad) + wd * weight)


@triton.jit
def signum(weight, grad, mom, lr, momentum, wd, rescale_grad, clip_gradient, wd_lh):
    """A step of fixed size along the sign of the velocity."""
    g = _within(grad * rescale_grad, clip_gradient) + wd * weight
    mom = momentum * mom - (1.0 - momentum) * g
    return weight - lr * (wd_lh * weight - sign(mom)), mom


@triton.jit
def rmsprop(weight, grad, n, lr, wd, rescale_grad, clip_gradient, clip_weights,
            gamma1: tl.constexpr, epsilon: tl.constexpr):  # fmt: skip
    """RMSProp."""
    g = _within(grad * rescale_grad + wd * weight, clip_gradient)
    n = gamma1 * n + (1.0 - gamma1) * g * g
    return _within(weight - lr * g / tl.sqrt(n + epsilon), clip_weights), n


@triton.jit
def rmspropalex(weight, grad, n, g, delta, lr, wd, rescale_grad, clip_gradient, clip_weights,
                gamma1: tl.constexpr, gamma2: tl.constexpr, epsilon: tl.constexpr):  # fmt: skip
    """RMSProp with the variance in place of the mean square, and momentum."""
    slope = _within(grad * rescale_grad + wd * weight, clip_gradient)
    n = gamma1 * n + (1.0 - gamma1) * slope * slope
    g = gamma1 * g + (1.0 - gamma1) * slope
    delta = gamma2 * delta - lr * slope / tl.sqrt(n - g * g + epsilon)
    return _within(weight + delta, clip_weights), n, g, delta


@triton.jit
def adagrad(weight, grad, history, lr, wd, rescale_grad, clip_gradient, epsilon: tl.constexpr):
    """AdaGrad."""
    g = _within(grad * rescale_grad, clip_gradient)
    history += g * g
    return weight - lr * (g / tl.sqrt(history + epsilon) + wd * weight), history


@triton.jit
def group_adagrad(weight, grad, history, mean, lr, rescale_grad, clip_gradient,
                  epsilon: tl.constexpr):  # fmt: skip
    """``mean`` is that of the squares of a row."""
    g = _within(grad * rescale_grad, clip_gradient)
    return weight - lr * g / tl.sqrt(history + mean + epsilon)


@triton.jit
def square_of(grad, rescale_grad, clip_gradient):
    """The square of a gradient."""
    g = _within(grad * rescale_grad, clip_gradient)
    return g * g


@triton.jit
def ftrl(weight, grad, z, n, lr, wd, rescale_grad, clip_gradient, lamda1: tl.constexpr,
         beta: tl.constexpr):  # fmt: skip
    """Follow the regularised leader, per coordinate."""
    g = _within(grad * rescale_grad, clip_gradient)
    total = n + g * g
    root = tl.sqrt(total)
    z += g - (root - tl.sqrt(n)) * weight / lr
    reach = sign(z) * largest(tl.abs(z) - lamda1, 0.0)
    return -reach / ((beta + root) / lr + wd), z, total


@triton.jit
def ftml(weight, grad, d, v, z, lr, wd, rescale_grad, clip_grad, left1, left2,
         beta1: tl.constexpr, beta2: tl.constexpr, epsilon: tl.constexpr):  # fmt: skip
    """``left1`` and ``left2`` are what is left of the bias of means: 1 less powers of betas."""
    g = _within(grad * rescale_grad + wd * weight, clip_grad)
    v = beta2 * v + (1.0 - beta2) * g * g
    scale = (tl.sqrt(v / left2) + epsilon) * (left1 / lr)
    leader = beta1 * z + (1.0 - beta1) * g - (scale - beta1 * d) * weight
    none = lr == 0.0  # the scale would be infinite, and the next step nan
    return (tl.where(none, weight, -leader / scale), tl.where(none, d, scale), v,
            tl.where(none, z, leader))  # fmt: skip


@triton.jit
def lamb_direction(weight, grad, mean, var, wd, rescale_grad, clip_gradient, left1, left2,
                   beta1: tl.constexpr, beta2: tl.constexpr, epsilon: tl.constexpr):  # fmt: skip
    """Return the direction of a step, in the place of the weight."""
    g = _within(grad * rescale_grad, clip_gradient)
    mean = beta1 * mean + (1.0 - beta1) * g
    var = beta2 * var + (1.0 - beta2) * g * g
    return mean / left1 / (tl.sqrt(var / left2) + epsilon) + wd * weight, mean, var


@triton.jit
def lamb_step(weight, g, r1, r2, lr, lower_bound, upper_bound):
    """Scale by the lengths of weight (r1) and direction (r2)."""
    length = smallest(largest(r1, lower_bound), upper_bound)
    none = (length == 0) | (r2 == 0)
    return weight - g * (lr * tl.where(none, 1.0, length / tl.where(none, 1.0, r2)))


@triton.jit
def lars_rate(lrs, weights_sum_sq, grads_sum_sq, wds, rescale_grad, eta: tl.constexpr,
              eps: tl.constexpr):  # fmt: skip
    """The rate of a weight whose squares, and those of its gradient, have these sums."""
    weight, grad = tl.sqrt(weights_sum_sq), tl.sqrt(grads_sum_sq) * rescale_grad
    trust = eta * weight / (grad + wds * weight + eps)
    return lrs * tl.where((weight > 0) & (grad > 0), trust, 1.0)
