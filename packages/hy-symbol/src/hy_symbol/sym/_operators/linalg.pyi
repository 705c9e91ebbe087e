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
    """Return a diagonal of each matrix."""
def extracttrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a triangle of each matrix as one vector: a lower one by rows, an upper one by columns."""
def gelqf(A: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the factors ``Q`` and ``L`` of ``A = L · Q``."""
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
    """Return ``1 / (values[j] - values[i])`` at ``[i, j]``; 0 where they are equal."""
def makediag(A: Symbol | None = None, offset: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return matrices of zeros with a diagonal."""
def maketrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return matrices of zeros with a triangle; undoes ``extracttrian``."""
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
    """Return the sum of the logarithms of each matrix's diagonal."""
def syevd(A: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the eigenvectors and eigenvalues of a symmetric matrix: ``A = Uᵀ · diag(L) · U``."""
def symmetric_gradient(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the gradient to the triangle of a symmetric matrix, from that to the whole matrix."""
def symmetric_of(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the symmetric matrix with the lower (or upper) triangle of ``A``."""
def syrk(A: Symbol | None = None, transpose: bool = False, alpha: float = 1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A`` with ``transpose``."""
def triangle(A: Symbol | None = None, lower: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``A`` with zeros above the diagonal, or below it."""
def trmm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False,
        rightside: bool = False, lower: bool = True, alpha: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha · A · B`` with a triangular ``A``, or ``alpha · B · A``."""
def trsm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False,
        rightside: bool = False, lower: bool = True, alpha: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Solve ``A · X = alpha · B`` with a triangular ``A``, or ``X · A = alpha · B``."""
