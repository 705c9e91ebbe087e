# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping
from hy_symbol.symbol.symbol import Symbol

def cofactor(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the cofactors of each matrix: ``det(A) · A⁻ᵀ``."""
def det(A: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the determinant of each matrix."""
def extractdiag(A: Symbol | None = None, offset: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a diagonal of each matrix as a vector."""
def extracttrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a triangle of each matrix as a vector: lower ones by rows, upper ones by columns."""
def gelqf(A: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the factors ``Q`` and ``L`` of the LQ decomposition ``A = L · Q``."""
def gemm(A: Symbol | None = None, B: Symbol | None = None, C: Symbol | None = None,
        transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0,
        axis: int = -2, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha · A · B + beta · C``."""
def gemm2(A: Symbol | None = None, B: Symbol | None = None, transpose_a: bool = False,
        transpose_b: bool = False, alpha: float = 1.0, axis: int = -2, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha · A · B``."""
def inverse(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the inverse of each matrix."""
def inverse_gaps(values: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the matrix of ``1 / (values[j] - values[i])`` at ``[i, j]``; 0 for equal values."""
def makediag(A: Symbol | None = None, offset: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return matrices with ``A`` on a diagonal and zeros elsewhere."""
def maketrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return matrices with ``A`` in a triangle, else zero; the inverse of ``extracttrian``."""
def potrf(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the Cholesky factor ``L`` of ``A = L · Lᵀ``."""
def potri(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the inverse of ``A · Aᵀ``, from its Cholesky factor ``A``."""
def slogdet(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sign and logarithm of the absolute value of the determinant of each matrix."""
def sumlogdiag(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return for each matrix the sum of the logarithms of its diagonal."""
def syevd(A: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the eigenvectors and eigenvalues of a symmetric matrix: ``A = Uᵀ · diag(L) · U``."""
def symmetric_gradient(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the gradient of ``_linalg_symmetric_of``; ``A`` is the gradient of its result."""
def symmetric_of(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the symmetric matrix whose lower (or upper) triangle is that of ``A``."""
def syrk(A: Symbol | None = None, transpose: bool = False, alpha: float = 1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A`` with ``transpose``."""
def triangle(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the lower (or upper) triangle of ``A``, with zeros elsewhere."""
def trmm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False,
        rightside: bool = False, lower: bool = True, alpha: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha · A · B`` with a triangular ``A``; ``alpha · B · A`` with ``rightside``."""
def trsm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False,
        rightside: bool = False, lower: bool = True, alpha: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Solve ``A · X = alpha · B`` for ``X``, with a triangular ``A``; or ``X · A = alpha · B``."""
