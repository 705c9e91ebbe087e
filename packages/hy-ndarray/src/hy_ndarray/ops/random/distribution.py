"""Class that declares a distribution's operators: three samplers and a density.

The samplers take the parameters as numbers (``random_normal``), as numbers together with an array
that gives the shape (``random_normal_like``), or as arrays (``sample_normal``). The density is
``random_pdf_normal``.
"""

from collections.abc import Callable, Sequence
from textwrap import indent
from typing import Any, NamedTuple

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.families import with_signature
from hy_ndarray.ops.random.densities import DensityGradients, chain, density
from hy_ndarray.ops.record.params import Ctx, DType, Param, Shape, param_of
from hy_ndarray.ops.record.rules import same_dtype, same_shape
from hy_ndarray.ops.record.schema import OperatorFunction, operator
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping.creation import zero_gradient

__all__ = ["Distribution", "Parameter"]

_FLOATING = ("float16", "bfloat16", "float32", "float64")


def _check_dtype(dtype: str | None) -> None:
    if dtype is not None and dtype not in _FLOATING:
        raise DTypeError(f"dtype={dtype} must be one of {', '.join(_FLOATING)}")


class Parameter(NamedTuple):
    """A parameter of a distribution, with the texts that document it in each operator."""

    name: str
    kind: Any
    """Type annotation of the parameter as a number."""
    default: Any
    text: str
    """Description of the parameter as a number."""
    of_many: str
    """Description of the parameter as an array."""
    array: str = ""
    """Name of the parameter as an array; ``name`` if empty."""
    of_density: str = ""
    """Description of the array for the density; ``of_many`` if empty."""


class Distribution:
    """A distribution; constructing it declares its operators.

    Args:
        name: MXNet's name, which is part of the names of the operators.
        parameters: The one or two parameters of the distribution.
        text: First line of the docstrings of ``random_…`` and ``random_…_like``.
        of_many: First line of the docstring of ``sample_…``, to which more is appended.
        of_density: First line of the docstring of ``random_pdf_…``.
        gradients: Derivatives of the density's logarithm with respect to sample and parameters.
        aliases: Other names of ``random_…``.
        example: Doctest example of ``random_…``.
        check: Called with the parameters' numbers; raises if they are incompatible.
    """

    def __init__(
        self,
        name: str,
        *parameters: Parameter,
        text: str,
        of_many: str,
        of_density: str,
        gradients: DensityGradients,
        aliases: Sequence[str] = (),
        example: str = "",
        check: Callable[..., None] | None = None,
    ) -> None:
        self._name = name
        self.parameters = parameters
        self._check = check
        self._numbers = [param_of(p.name, p.kind, p.default) for p in parameters]
        self._arrays = [p.array or p.name for p in parameters]
        self.random = self._random(text, aliases, example)
        self.like = self._like(text)
        self.sample = self._sample(of_many)
        self.density = self._density(of_density, gradients)

    def _checked_parameters(self, params: dict[str, Any]) -> None:
        if self._check is not None:
            self._check(*[params[p.name] for p in self.parameters])

    def _random(self, text: str, aliases: Sequence[str], example: str) -> OperatorFunction:
        def drawn(*, shape: Shape | None, dtype: str | None, **params: Any) -> TensorType:
            self._checked_parameters(params)
            _check_dtype(dtype)
            return TensorType((1,) if shape is None else shape, dtype or "float32")

        rule = with_signature(
            drawn,
            f"random_{self._name}",
            _doc(
                text,
                Args=[
                    *[f"{p.name}: {p.text}" for p in self.parameters],
                    "shape: Shape of the result; one number if None.",
                    "ctx: Where the result is; the current context if empty.",
                    "dtype: A floating one; float32 if None.",
                ],
                Raises=[
                    "ArgumentError: A parameter of the distribution is out of range.",
                    "DTypeError: ``dtype`` is not floating.",
                ],
                Example=example.splitlines(),
            ),
            params=[*self._numbers, _SHAPE, _CTX, _DTYPE],
        )
        return operator(f"_random_{self._name}", f"random_{self._name}", *aliases, needs=("rng",))(
            rule
        )

    def _like(self, text: str) -> OperatorFunction:
        def like(data: TensorType, **params: Any) -> TensorType:
            self._checked_parameters(params)
            if data.dtype is not None and "float" not in data.dtype:
                raise DTypeError(f"{data.label}{data.dtype} must be floating; cast it with astype")
            return data

        rule = with_signature(
            like,
            f"random_{self._name}_like",
            _doc(
                text,
                Args=[
                    "data: ``[*sizes]``, floating; only its shape and dtype are used.",
                    *[f"{p.name}: {p.text}" for p in self.parameters],
                ],
                Raises=["DTypeError: ``data`` is not floating."],
            ),
            inputs=["data"],
            params=self._numbers,
        )
        return operator(f"_random_{self._name}_like", needs=("rng",), grad=zero_gradient)(rule)

    def _sample(self, text: str) -> OperatorFunction:
        def sample(*arrays: TensorType, shape: Shape, dtype: str | None) -> TensorType:
            same_shape(*arrays)
            same_dtype(*arrays)
            _check_dtype(dtype)
            sizes = arrays[0].shape
            return TensorType(None if sizes is None else (*sizes, *shape), dtype or "float32")

        first, *others = self.parameters
        rule = with_signature(
            sample,
            f"sample_{self._name}",
            _doc(
                f"{text}, some for each.",
                Args=[
                    f"{self._arrays[0]}: ``[*S]``, {first.of_many}.",
                    *[
                        f"{p.array or p.name}: {p.of_many[0].upper()}{p.of_many[1:]}, "
                        "of the same shape and dtype."
                        for p in others
                    ],
                    "shape: How many numbers for each distribution, as a shape.",
                    "dtype: A floating one; float32 if None.",
                ],
                Returns=["``[*S, *shape]``."],
                Raises=[
                    "ShapeError: The parameters differ in shape.",
                    "DTypeError: They differ in dtype, or ``dtype`` is not floating.",
                ],
            ),
            inputs=self._arrays,
            params=[_MORE, _DTYPE],
        )
        names = f"_sample_{self._name}", f"sample_{self._name}"
        return operator(*names, needs=("rng",), grad=zero_gradient)(rule)

    def _density(self, text: str, gradients: DensityGradients) -> OperatorFunction:
        texts = [p.of_density or p.of_many for p in self.parameters]
        texts[0] += "; the dtype of ``sample``"
        pairs = zip(self._arrays, texts, strict=True)
        rule = with_signature(
            density,
            f"random_pdf_{self._name}",
            _doc(
                text,
                Args=[
                    "sample: ``[*S, *N]``, floating: some numbers for each distribution.",
                    *[f"{name}: ``[*S]``, {text}." for name, text in pairs],
                    "is_log: Return the logarithm.",
                ],
                Returns=["``[*S, *N]``."],
                Raises=["ShapeError: The shapes do not begin alike."],
            ),
            inputs=["sample", *self._arrays],
            params=[_IS_LOG],
        )
        names = f"_random_pdf_{self._name}", f"random_pdf_{self._name}"
        return operator(*names, grad=chain(gradients))(rule)


_SHAPE = param_of("shape", Shape | None, None)
_MORE = param_of("shape", Shape, ())
_CTX = param_of("ctx", Ctx, Ctx(""))
_DTYPE: Param = param_of("dtype", DType | None, None)
_IS_LOG = param_of("is_log", bool, False)


def _doc(text: str, **sections: Sequence[str]) -> str:
    """Return a docstring of a first line and the given sections."""
    filled = {name: "\n".join(lines) for name, lines in sections.items() if lines}
    shown = [f"{name}:\n{indent(lines, ' ' * 4)}\n" for name, lines in filled.items()]
    return "\n".join([f"{text}\n", *shown])
