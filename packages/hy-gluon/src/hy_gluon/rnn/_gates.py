"""Gate arithmetic of LSTM and GRU cells, shared by dense, projected and convolutional cells.

As in MXNet, some cells name the graph nodes between the gates, and others do not.
"""

from typing import Any, Protocol


class Activation(Protocol):
    """Protocol of a gate's activation function, which creates a named node."""

    def __call__(self, x: Any, *, name: str) -> Any:
        """Return the activation of ``x``."""


def operator(F: Any, kind: str) -> Activation:
    """Return a function that applies the operator ``Activation`` of type ``kind``."""

    def apply(x: Any, *, name: str) -> Any:
        return F.Activation(x, act_type=kind, name=name)

    return apply


class Arithmetic:
    """Sums and products by Python's operators, as unnamed nodes.

    Args:
        F: The namespace of operators.
        step: Prefix of the names of gates, for callers and subclasses.
    """

    def __init__(self, F: Any, step: str) -> None:
        self.F = F
        self.step = step

    def add(self, a: Any, b: Any, name: str) -> Any:  # noqa: ARG002  # of those that have names
        """Return ``a + b``."""
        return a + b

    def multiply(self, a: Any, b: Any, name: str) -> Any:  # noqa: ARG002
        """Return ``a · b``."""
        return a * b

    # ``1.0 - x`` is MXNet's node in cells without names.
    def rest(self, x: Any) -> Any:
        """Return ``1 - x``."""
        return 1.0 - x


class NamedArithmetic(Arithmetic):
    """Sums and products as nodes with names."""

    def add(self, a: Any, b: Any, name: str) -> Any:
        """Return ``a + b``."""
        return self.F.elemwise_add(a, b, name=f"{self.step}{name}")

    def multiply(self, a: Any, b: Any, name: str) -> Any:
        """Return ``a · b``."""
        return self.F.elemwise_mul(a, b, name=f"{self.step}{name}")

    def rest(self, x: Any) -> Any:
        """Return ``1 - x``."""
        # MXNet's GRU cell makes ones and subtracts; exported graphs have these two nodes.
        ones = self.F.ones_like(x, name=f"{self.step}ones_like0")
        return self.F.elemwise_sub(ones, x, name=f"{self.step}minus0")


def lstm_memory(
    math: Arithmetic, parts: Any, memory: Any, gate: Activation, inner: Activation
) -> tuple[Any, Any]:
    """Return the memory ``c = f · c' + i · g`` after a step, and the output gate ``o``.

    Args:
        math: Arithmetic that creates the nodes.
        parts: Gates before activation, in the order i, f, g, o.
        memory: Previous memory ``c'``.
        gate: Activation of ``i``, ``f`` and ``o``.
        inner: Activation of ``g``.
    """
    i = gate(parts[0], name=f"{math.step}i")
    f = gate(parts[1], name=f"{math.step}f")
    g = inner(parts[2], name=f"{math.step}c")
    o = gate(parts[3], name=f"{math.step}o")
    remembered = math.multiply(f, memory, "mul0")
    added = math.multiply(i, g, "mul1")
    return math.F.elemwise_add(remembered, added, name=f"{math.step}state"), o


def gru_state(
    math: Arithmetic, i2h: Any, h2h: Any, before: Any, gate: Activation, inner: Activation
) -> Any:
    """Return the state ``h = (1 - z) · n + z · h'`` after a step.

    Args:
        math: Arithmetic that creates the nodes.
        i2h: Products of the input, in the order r, z, n.
        h2h: Products of the state, in the same order.
        before: Previous state ``h'``.
        gate: Activation of ``r`` and ``z``.
        inner: Activation of ``n``, in which ``r`` scales the product of the state.
    """
    r = gate(math.add(i2h[0], h2h[0], "plus0"), name=f"{math.step}r_act")
    # The reset gate multiplies the product, not the state: cuDNN's variant, which MXNet and PyTorch
    # have.
    z = gate(math.add(i2h[1], h2h[1], "plus1"), name=f"{math.step}z_act")
    gated = math.multiply(r, h2h[2], "mul0")
    n = inner(math.add(i2h[2], gated, "plus2"), name=f"{math.step}h_act")
    added = math.multiply(math.rest(z), n, "mul1")
    remembered = math.multiply(z, before, "mul20")
    return math.F.elemwise_add(added, remembered, name=f"{math.step}out")
