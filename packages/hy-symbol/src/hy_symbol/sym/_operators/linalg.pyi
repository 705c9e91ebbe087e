# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping
from hy_symbol.symbol import Symbol
from hy_symbol.sym._operators import linalg_det as det
from hy_symbol.sym._operators import linalg_extractdiag as extractdiag
from hy_symbol.sym._operators import linalg_extracttrian as extracttrian
from hy_symbol.sym._operators import linalg_gelqf as gelqf
from hy_symbol.sym._operators import linalg_gemm as gemm
from hy_symbol.sym._operators import linalg_gemm2 as gemm2
from hy_symbol.sym._operators import linalg_inverse as inverse
from hy_symbol.sym._operators import linalg_makediag as makediag
from hy_symbol.sym._operators import linalg_maketrian as maketrian
from hy_symbol.sym._operators import linalg_potrf as potrf
from hy_symbol.sym._operators import linalg_potri as potri
from hy_symbol.sym._operators import linalg_slogdet as slogdet
from hy_symbol.sym._operators import linalg_sumlogdiag as sumlogdiag
from hy_symbol.sym._operators import linalg_syrk as syrk
from hy_symbol.sym._operators import linalg_trmm as trmm
from hy_symbol.sym._operators import linalg_trsm as trsm

def cofactor(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The cofactors of each matrix: ``det(A) · A⁻ᵀ``."""

def inverse_gaps(
    values: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``1 / (values[j] - values[i])`` at ``[i, j]``; 0 where they are equal."""

def syevd(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The eigenvectors and eigenvalues of a symmetric matrix: ``A = Uᵀ · diag(L) · U``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64; only the lower triangle is read.

    Returns:
        ``U [*batch, N, N]``, whose rows are the eigenvectors, each with its largest element
        positive; and the eigenvalues ``L [*batch, N]``, smallest first.
    """

def symmetric_gradient(
    A: Symbol | None = None,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient to the triangle of a symmetric matrix, from that to the whole matrix."""

def symmetric_of(
    A: Symbol | None = None,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The symmetric matrix with the lower (or upper) triangle of ``A``."""

def triangle(
    A: Symbol | None = None,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``A`` with zeros above the diagonal, or below it."""
