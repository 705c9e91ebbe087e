"""Muon: orthogonalized momentum for the matrices of hidden layers (Jordan, 2024)."""

import math
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from hy_gluon.optimizer.optimizer import Index, OptimizerError, State, register, zeros
from hy_gluon.optimizer.shaped import Shaped
from hy_ndarray import NDArray, nd

__all__ = ["Muon"]

# Jordan et al. (2024): the polynomial trades convergence to exactly 1 for a steep gradient at 0, so
# that five steps suffice; singular values end between about 0.7 and 1.2.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the odd polynomial that brings singular values near 1 in five steps, from Jordan's page."""
_MATRIX = 2  # axes
_ADJUSTMENTS = ("original", "match_rms_adamw")


@register
class Muon(Shaped):
    """Muon: steps by orthogonalized momentum for matrices, and AdamW steps for other arrays.

    Args:
        learning_rate: The rate of steps and of weight decay.
        momentum: Decay rate of the momentum.
        nesterov: Whether to use Nesterov's momentum.
        ns_steps: Number of Newton-Schulz iterations, which bring singular values near 1.
        epsilon: Added to the norm of the momentum.
        adjust: Factor of the rate of a matrix of ``A`` rows and ``B`` columns: ``"original"``:
            ``sqrt(max(1, A / B))``; ``"match_rms_adamw"``: ``0.2 sqrt(max(A, B))``, which suits
            rates of AdamW.
        others: Substrings of names of matrices to be updated by AdamW: embeddings and the last
            layer, as the source advises.
        beta1: For AdamW: decay rate of the mean gradient.
        beta2: For AdamW: decay rate of the mean square.
        others_rate: For AdamW: the rate, relative to that of matrices.
        kwargs: See :class:`~hy_gluon.optimizer.Optimizer`. Weight decay is decoupled from the
            gradient.

    Raises:
        OptimizerError: ``adjust`` is unknown.

    Source:
        Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks";
        ``match_rms_adamw``: Liu et al. 2025, arXiv:2502.16982, eq. 4.

    Example:
        >>> from hy_ndarray import nd
        >>> muon, weight = Muon(0.1), nd.zeros((2, 2))
        >>> state, gradient = muon.create_state(0, weight), nd.array([[5.0, 0.0], [0.0, -3.0]])
        >>> muon.update(0, weight, gradient, state)
        >>> nd.sign(weight).asnumpy()
        array([[-1.,  0.],
               [ 0.,  1.]], dtype=float32)
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("momentum", "epsilon", "beta1", "beta2")

    def __init__(
        self,
        learning_rate: float = 1e-3,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_steps: int = 5,
        epsilon: float = 1e-7,
        adjust: str = "original",
        others: Sequence[str] = ("embedding", "position", "head"),
        beta1: float = 0.9,
        beta2: float = 0.95,
        others_rate: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, **kwargs)
        if adjust not in _ADJUSTMENTS:
            raise OptimizerError(f"Muon: adjust={adjust!r} must be one of {_ADJUSTMENTS}")
        self.momentum = momentum
        self.nesterov = nesterov
        self.ns_steps = ns_steps
        self.epsilon = epsilon
        self.adjust = adjust
        self.others = tuple(others)
        self.beta1 = beta1
        self.beta2 = beta2
        self.others_rate = others_rate

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return the momentum of a matrix, or both means of other arrays."""
        super().create_state(index, weight)
        return zeros(weight) if self._is_matrix(index) else (zeros(weight), zeros(weight))

    def _is_matrix(self, index: Index) -> bool:
        parameter = self.param_dict.get(index)
        name = "" if parameter is None else parameter.name
        # Embeddings and heads are no linear maps between hidden states; Jordan's page leaves them
        # to AdamW.
        return len(self._shape(index)) == _MATRIX and not any(x in name for x in self.others)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:
        """Return learning rates, decay factors, momentum weights, and AdamW's corrections."""
        rate, shape = lr * self.others_rate, self._shape(index)
        if self._is_matrix(index):
            rows, columns = shape
            wide = max(rows, columns)
            # "original" makes the update's size independent of a matrix's aspect; 0.2 sqrt(max)
            # gives AdamW's root mean square (Liu et al. 2025), so its rates can be reused.
            factor = math.sqrt(max(1, rows / columns))
            rate = lr * (factor if self.adjust == "original" else 0.2 * math.sqrt(wide))
        return {
            "rate": rate,
            "decay": 1 - lr * wd,
            "new": 1 - self.momentum,
            "new1": 1 - self.beta1,
            "new2": 1 - self.beta2,
            "whole1": 1 - self.beta1**t,
            "whole2": 1 - self.beta2**t,
        }

    def rule_variant(self, index: Index, wd: float) -> Hashable:  # noqa: ARG002  # others need it
        """Return whether a matrix has more rows than columns, and ``nesterov`` and ``ns_steps``."""
        shape = self._shape(index)
        is_tall = len(shape) == _MATRIX and shape[0] > shape[1]
        return is_tall, self.nesterov, self.ns_steps

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Muon`."""
        gradient = self._hy_rescaled(grad, n)
        if isinstance(state, list | tuple):
            mean, square = state
            mean = mean * n.beta1 + gradient * n.new1
            square = square * n.beta2 + nd.square(gradient) * n.new2
            step = mean / n.whole1 / (nd.sqrt(square / n.whole2) + n.epsilon)
            return weight * n.decay - step * n.rate, (mean, square)
        _, nesterov, _ = n.variant
        buffer = state * n.momentum + gradient * n.new
        ahead = gradient * n.new + buffer * n.momentum if nesterov else buffer
        step = self._orthogonal(ahead, n)
        return weight * n.decay - step * n.rate, buffer

    def _orthogonal(self, x: Any, n: Any) -> Any:
        """Return a matrix orthogonalized by the Newton-Schulz iteration."""
        a, b, c = _COEFFICIENTS
        is_tall, _, steps = n.variant
        # The Frobenius norm bounds the largest singular value, so all lie in (0, 1], where the
        # polynomial converges.
        x = nd.broadcast_div(x, nd.norm(x) + n.epsilon)
        for _ in range(steps):
            # The smaller of X X^T and X^T X: the same singular values with fewer multiplications.
            square = nd.dot(x, x, transpose_a=is_tall, transpose_b=not is_tall)
            factor = square * b + nd.dot(square, square) * c
            x = x * a + (nd.dot(x, factor) if is_tall else nd.dot(factor, x))
        return x
