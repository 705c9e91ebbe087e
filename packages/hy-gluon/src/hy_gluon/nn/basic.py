"""Dense, Dropout, Embedding, SparseEmbedding, Flatten, and layers from functions."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import Block, HybridBlock
from hy_gluon.nn._arguments import Init
from hy_gluon.nn.activation import activation_of
from hy_ndarray import nd
from hy_ndarray.suggestion import hint
from hy_symbol import sym

__all__ = ["Dense", "Dropout", "Embedding", "Flatten", "HybridLambda", "Lambda", "SparseEmbedding"]


class Dense(HybridBlock):
    """Fully connected layer ``activation(x weight.T + bias)``.

    Args:
        units: Size of the last axis of the output.
        activation: Name of an activation function (see :class:`Activation`), or None.
        use_bias: Whether there is a bias.
        flatten: Treat all axes but the first as one; if False, apply to the last axis.
        dtype: Dtype of the parameters.
        weight_initializer: Initializer of the weight, ``[units, in_units]``.
        bias_initializer: Initializer of the bias, ``[units]``.
        in_units: Size of the input; 0 to infer it from the first input.

    Example:
        >>> layer = Dense(4)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3))).shape
        (2, 4)
        >>> layer
        Dense(3 -> 4, linear)
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._flatten = flatten
        with self.name_scope():
            self._units = units
            self._in_units = in_units
            self.weight = self.params.get(
                "weight",
                shape=(units, in_units),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias",
                    shape=(units,),
                    init=bias_initializer,
                    dtype=dtype,
                    allow_deferred_init=True,
                )
                if use_bias
                else None
            )
            self.act = activation_of(activation)

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return the layer's output for ``x``."""
        y = F.FullyConnected(
            x,
            weight,
            bias,
            no_bias=bias is None,
            num_hidden=self._units,
            flatten=self._flatten,
            name="fwd",
        )
        return y if self.act is None else self.act(y)

    def __repr__(self) -> str:
        shape = self.weight.shape
        assert shape is not None
        act = "linear" if self.act is None else repr(self.act)
        return f"{type(self).__name__}({shape[1] or None} -> {shape[0]}, {act})"


class Dropout(HybridBlock):
    """Dropout: in training, sets random elements to zero, and scales the others up.

    Args:
        rate: Probability that an element is dropped.
        axes: Axes along which elements are dropped together.

    Source:
        Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov, Dropout: A Simple Way to Prevent
        Neural Networks from Overfitting, 2014.

    Example:
        >>> Dropout(0.5)(nd.ones((3,))).asnumpy()
        array([1., 1., 1.], dtype=float32)
    """

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = rate
        self._axes = axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` with random elements set to zero."""
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(HybridBlock):
    """Embedding: maps each index to a learned vector.

    Args:
        input_dim: Number of indices.
        output_dim: Size of the vectors.
        dtype: Dtype of the vectors.
        weight_initializer: Initializer of the table, ``[input_dim, output_dim]``.
        sparse_grad: Make the gradient of the table row_sparse, with the rows of the indices only.

    Example:
        >>> layer = Embedding(10, 4)
        >>> layer.initialize()
        >>> layer(nd.array([[1, 2, 3]])).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": sparse_grad,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """Return the vectors of the indices ``x``."""
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        sizes = "{input_dim} -> {output_dim}, {dtype}".format(**self._kwargs)
        return f"{type(self).__name__}({sizes})"


class SparseEmbedding(Block):
    """Embedding with row_sparse gradients: maps each index to a learned vector.

    The table and the gradient are row_sparse: a step reads and changes only the rows of the
    indices.

    Args:
        input_dim: Number of indices.
        output_dim: Size of the vectors.
        dtype: Dtype of the vectors.
        weight_initializer: Initializer of the table, ``[input_dim, output_dim]``.

    Example:
        >>> from hy_gluon import Trainer
        >>> layer = SparseEmbedding(10, 4)
        >>> layer.initialize()
        >>> trainer = Trainer(layer.collect_params(), "sgd")  # which rows are asked of
        >>> layer(nd.array([[1, 2, 3]])).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": True,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            stype="row_sparse",
            grad_stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Return the vectors of the indices ``x``."""
        return nd.Embedding(x, self.weight.row_sparse_data(x), name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        content = "{input_dim} -> {output_dim}, {dtype}".format(**self._kwargs)
        return f"{type(self).__name__}({content})"


class Flatten(HybridBlock):
    """Layer that flattens inputs to ``[N, rest]``.

    Example:
        >>> Flatten()(nd.ones((2, 3, 4))).shape
        (2, 12)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` flattened."""
        return F.Flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Lambda(Block):
    """Block that calls a function of arrays.

    Args:
        function: A function, or the name of one in ``nd``.
        prefix: Prefix of the block's name; automatic if None.

    Raises:
        LayerError: ``function`` is neither, or ``nd`` has no function of that name.

    Example:
        >>> Lambda("relu"), Lambda(lambda x: x * 2)(nd.array([1])).asnumpy()
        (Lambda(relu), array([2.], dtype=float32))
    """

    def __init__(self, function: Callable[..., Any] | str, prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func_impl: Callable[..., Any]
        if isinstance(function, str):
            if not hasattr(nd, function):
                raise LayerError(
                    f"Lambda: nd has no function {function!r}{hint(function, dir(nd))}"
                )
            self._func_impl = getattr(nd, function)
        else:
            self._func_impl = _checked(function)

    def forward(self, *args: Any) -> Any:
        """Return the function's result."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_name_of(self._func_impl)})"


class HybridLambda(HybridBlock):
    """Hybrid block that calls a function of ``F`` and arrays or symbols.

    Args:
        function: A function ``(F, x, *args)``, or the name of an operator.
        prefix: Prefix of the block's name; automatic if None.

    Raises:
        LayerError: ``function`` is neither, or there is no operator of that name.

    Example:
        >>> HybridLambda(lambda F, x: F.relu(x) * 2)(nd.array([-1, 1])).asnumpy()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, function: Callable[..., Any] | str, prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        if isinstance(function, str):
            if not hasattr(nd, function) or not hasattr(sym, function):
                raise LayerError(
                    f"HybridLambda: there is no operator {function!r}{hint(function, dir(sym))}"
                )
            self._func_name = function
            self._func: Callable[..., Any] = _OperatorByName(function)
        else:
            self._func = _checked(function)
            self._func_name = _name_of(function)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Return the function's result."""
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


class _OperatorByName:
    """Callable ``F.<name>`` that can be copied and pickled."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, F: Any, x: Any, *args: Any) -> Any:
        return getattr(F, self._name)(x, *args)


def _checked(function: object) -> Callable[..., Any]:
    if not callable(function):
        raise LayerError(f"a function or its name is needed, not {function!r}")
    return function


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
