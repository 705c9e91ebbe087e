"""ParameterAverage: moving averages of parameters over training steps."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hy_gluon.block import Block
from hy_gluon.parameter import Parameter
from hy_ndarray import ArgumentError, NDArray, autograd, nd

__all__ = ["ParameterAverage"]


class ParameterAverage:
    """Exponential moving average (EMA) of a net's parameters over training steps.

    Call :meth:`update` after each step of the trainer; predict, save or validate within
    :meth:`applied`.

    Args:
        net: An initialized block, or parameters by name.
        decay: Factor of the average in each step.
        warmup: Limit the decay to ``(1 + n) / (10 + n)`` at step ``n``, so that initial values lose
            their weight quickly.

    Raises:
        ArgumentError: ``decay`` is not between 0 and 1.

    Source:
        Polyak, Juditsky, Acceleration of stochastic approximation by averaging, 1992; with this
        warm-up: Abadi et al. 2016, arXiv:1605.08695, as in its ``ExponentialMovingAverage``.

    Example:
        >>> from hy_gluon import nn
        >>> net = nn.Dense(1, use_bias=False, in_units=1)
        >>> net.initialize("ones")
        >>> average = ParameterAverage(net, decay=0.5, warmup=False)
        >>> net.weight.set_data(nd.array([[3]]))
        >>> average.update()
        >>> with average.applied():
        ...     float(net(nd.array([[1]])).asscalar())
        2.0
        >>> float(net(nd.array([[1]])).asscalar())
        3.0
    """

    def __init__(
        self, net: Block | Mapping[str, Parameter], decay: float = 0.999, *, warmup: bool = True
    ) -> None:
        if not 0 <= decay <= 1:
            raise ArgumentError(f"decay={decay} must be from 0 to 1")
        params = net._collect_params_with_prefix() if isinstance(net, Block) else dict(net)
        self._parameters: dict[str, Parameter] = params
        self.decay = decay
        self.warmup = warmup
        self.steps = 0
        """Number of updates so far."""
        self.values: dict[str, NDArray] = {name: p.data().copy() for name, p in params.items()}
        """The averages by name."""

    def update(self) -> None:
        """Update the averages with the current parameters."""
        self.steps += 1
        decay = self.decay
        if self.warmup:
            # TensorFlow's warm-up: else the random initial values would weigh 0.999 ** steps for
            # thousands of steps.
            decay = min(decay, (1 + self.steps) / (10 + self.steps))
        with autograd.pause():
            for name, parameter in self._parameters.items():
                average = self.values[name]
                average *= decay
                average += parameter.data() * (1 - decay)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Scope in which the parameters have their average values."""
        # Values are exchanged, not arrays: programs and captured steps hold the arrays.
        before = {name: p.data().copy() for name, p in self._parameters.items()}
        try:
            self._set(self.values)
            yield
        finally:
            self._set(before)

    def _set(self, values: Mapping[str, NDArray]) -> None:
        for name, parameter in self._parameters.items():
            parameter.set_data(values[name])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the averages and the number of steps to a file."""
        nd.save(os.fspath(path), {**self.values, "steps": nd.array([self.steps], dtype="int64")})

    def load(self, path: str | os.PathLike[str]) -> None:
        """Load the averages that :meth:`save` wrote.

        Raises:
            ArgumentError: The file is of other parameters.
        """
        loaded = nd.load(os.fspath(path))
        if not isinstance(loaded, dict) or loaded.keys() != {*self.values, "steps"}:
            raise ArgumentError(f"{path}: holds no averages of these parameters")
        self.steps = int(loaded.pop("steps").asscalar())
        for name, average in self.values.items():
            average[:] = loaded[name].as_in_context(average.context)
