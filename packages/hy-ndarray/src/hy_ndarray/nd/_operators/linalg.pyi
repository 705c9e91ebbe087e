# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.array.ndarray import NDArray

def cofactor(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the cofactors of each matrix: ``det(A) · A⁻ᵀ``.

    Example:
        >>> y = nd.linalg.cofactor(
        ...     nd.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-5.18, -1.46, -0.08],
               [-1.24,  5.92, -1.9 ],
               [-0.85, -1.18, -7.85]], dtype=float32)
    """
def det(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the determinant of each matrix.

    Args:
        A: ``[*batch, N, N]``, float32 or float64.

    Returns:
        ``[*batch]``; ``(1,)`` for a single matrix.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.det(nd.array([[2, 1], [1, 2]])).asnumpy()
        array([3.], dtype=float32)
    """
def extractdiag(A: NDArray, offset: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return a diagonal of each matrix as a vector.

    Args:
        A: ``[*batch, N, N]``.
        offset: The diagonal: above the main one if positive, below it if negative.

    Returns:
        ``[*batch, N - |offset|]``.

    Example:
        >>> nd.linalg.extractdiag(nd.ones((3, 3)), offset=0).shape
        (3,)
    """
def extracttrian(A: NDArray, offset: int = 0, lower: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return a triangle of each matrix as a vector: lower ones by rows, upper ones by columns.

    Args:
        A: ``[*batch, N, N]``.
        offset: The diagonal that bounds the triangle: the upper triangle from that diagonal on if
            positive, the lower one if negative.
        lower: With ``offset=0``, the lower triangle if true, else the upper one.

    Returns:
        ``[*batch, M * (M + 1) / 2]`` with ``M = N - |offset|``.

    Example:
        >>> nd.linalg.extracttrian(nd.ones((3, 3))).shape
        (6,)
    """
def gelqf(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the factors ``Q`` and ``L`` of the LQ decomposition ``A = L · Q``.

    Args:
        A: ``[*batch, M, N]``, float32 or float64, ``M <= N``, of full rank.

    Returns:
        ``Q [*batch, M, N]`` with orthonormal rows, and the lower triangle ``L [*batch, M, M]``.

    Example:
        >>> [y.shape for y in nd.linalg.gelqf(nd.ones((2, 5)))]
        [(2, 5), (2, 2)]
    """
def gemm(A: NDArray, B: NDArray, C: NDArray, transpose_a: bool = False, transpose_b: bool = False,
        alpha: float = 1.0, beta: float = 1.0, axis: int = -2, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``alpha · A · B + beta · C``.

    Args:
        A: ``[*batch, M, K]``, float32 or float64; ``[*batch, K, M]`` with ``transpose_a``.
        B: ``[*batch, K, N]``; ``[*batch, N, K]`` with ``transpose_b``.
        C: ``[*batch, M, N]``.
        transpose_a: Take the transpose of each matrix of ``A``.
        transpose_b: Take the transpose of each matrix of ``B``.
        alpha: Factor of the product.
        beta: Factor of ``C``.
        axis: The axis of the rows in all operands; the columns are the last axis.

    Returns:
        ``[*batch, M, N]``.

    Example:
        >>> y = nd.linalg.gemm(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.ones((3, 5)),
        ...     nd.ones((2, 5)),
        ...     alpha=2.0,
        ...     beta=0.5,
        ... )
        >>> y.shape
        (2, 5)
    """
def gemm2(A: NDArray, B: NDArray, transpose_a: bool = False, transpose_b: bool = False,
        alpha: float = 1.0, axis: int = -2, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``alpha · A · B``.

    Args:
        A: ``[*batch, M, K]``, float32 or float64; ``[*batch, K, M]`` with ``transpose_a``.
        B: ``[*batch, K, N]``; ``[*batch, N, K]`` with ``transpose_b``.
        transpose_a: Take the transpose of each matrix of ``A``.
        transpose_b: Take the transpose of each matrix of ``B``.
        alpha: Factor of the product.
        axis: The axis of the rows in all operands; the columns are the last axis.

    Returns:
        ``[*batch, M, N]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.gemm2(nd.ones((2, 3)), nd.ones((3, 1)), alpha=2).asnumpy()
        array([[6.],
               [6.]], dtype=float32)
    """
def inverse(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the inverse of each matrix.

    Args:
        A: ``[*batch, N, N]``, float32 or float64.

    Returns:
        The shape of ``A``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.inverse(nd.array([[2, 0], [0, 4]])).asnumpy()
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
def inverse_gaps(values: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the matrix of ``1 / (values[j] - values[i])`` at ``[i, j]``; 0 for equal values.

    Example:
        >>> nd.linalg.inverse_gaps(nd.array([-2.0, 0.0, 2.0])).asnumpy().round(3)
        array([[ 0.  ,  0.5 ,  0.25],
               [-0.5 ,  0.  ,  0.5 ],
               [-0.25, -0.5 ,  0.  ]], dtype=float32)
    """
def makediag(A: NDArray, offset: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return matrices with ``A`` on a diagonal and zeros elsewhere.

    Args:
        A: ``[*batch, N]``.
        offset: The diagonal: above the main one if positive, below it if negative.

    Returns:
        ``[*batch, N + |offset|, N + |offset|]``.

    Example:
        >>> nd.linalg.makediag(nd.array([-2.0, 0.0, 2.0]), offset=0).asnumpy().round(3)
        array([[-2.,  0.,  0.],
               [ 0.,  0.,  0.],
               [ 0.,  0.,  2.]], dtype=float32)
    """
def maketrian(A: NDArray, offset: int = 0, lower: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return matrices with ``A`` in a triangle, else zero; the inverse of ``extracttrian``.

    Args:
        A: ``[*batch, M * (M + 1) / 2]``.
        offset: The diagonal that bounds the triangle: the upper one if positive, the lower one
            if negative.
        lower: With ``offset=0``, the lower triangle if true, else the upper one.

    Returns:
        ``[*batch, M + |offset|, M + |offset|]``.

    Example:
        >>> nd.linalg.maketrian(nd.array([-2.0, 0.0, 2.0])).asnumpy().round(3)
        array([[-2.,  0.],
               [ 0.,  2.]], dtype=float32)
    """
def potrf(A: NDArray, lower: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the Cholesky factor ``L`` of ``A = L · Lᵀ``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64, symmetric and positive definite; only one
            triangle is read.
        lower: Read the lower triangle and return ``L``; else read the upper one and return ``Lᵀ``.

    Returns:
        The shape of ``A``, zero in the other triangle.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.potrf(nd.array([[4, 2], [2, 2]])).asnumpy()
        array([[2., 0.],
               [1., 1.]], dtype=float32)
    """
def potri(A: NDArray, lower: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the inverse of ``A · Aᵀ``, from its Cholesky factor ``A``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64, triangular; the other triangle is not read.
        lower: Whether ``A`` is lower triangular; else it is upper, and ``Aᵀ · A`` is inverted.

    Returns:
        The shape of ``A``.

    Example:
        >>> y = nd.linalg.potri(
        ...     nd.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]]),
        ...     lower=False,
        ... )
        >>> y.asnumpy().round(3)
        array([[ 0.119, -0.023,  0.028],
               [-0.023,  0.164,  0.03 ],
               [ 0.028,  0.03 ,  0.25 ]], dtype=float32)
    """
def slogdet(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the sign and logarithm of the absolute value of the determinant of each matrix.

    Args:
        A: ``[*batch, N, N]``, float32 or float64.

    Returns:
        The sign (0 for a singular matrix) and the logarithm (then minus infinity), each
        ``[*batch]``; ``(1,)`` for a single matrix.

    Example:
        >>> results = nd.linalg.slogdet(
        ...     nd.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]]),
        ... )
        >>> [y.shape for y in results]
        [(1,), (1,)]
    """
def sumlogdiag(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return for each matrix the sum of the logarithms of its diagonal.

    Args:
        A: ``[*batch, N, N]``, float32 or float64; nan where the diagonal is negative.

    Returns:
        ``[*batch]``; ``(1,)`` for a single matrix.

    Example:
        >>> nd.linalg.sumlogdiag(nd.ones((3, 3))).shape
        (1,)
    """
def syevd(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the eigenvectors and eigenvalues of a symmetric matrix: ``A = Uᵀ · diag(L) · U``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64; only the lower triangle is read.

    Returns:
        ``U [*batch, N, N]``, whose rows are the eigenvectors, each with its largest element
        positive; and the eigenvalues ``L [*batch, N]``, smallest first.

    Example:
        >>> results = nd.linalg.syevd(
        ...     nd.array([[9.41, 5.7299999999999995, 3.9], [0.7299999999999995, 6.83, 3.96], [-1.1, -1.04, 4.4]]),
        ... )
        >>> [y.shape for y in results]
        [(3, 3), (3,)]
    """
def symmetric_gradient(A: NDArray, lower: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the gradient of ``_linalg_symmetric_of``; ``A`` is the gradient of its result.

    Example:
        >>> nd.linalg.symmetric_gradient(nd.ones((3, 3))).shape
        (3, 3)
    """
def symmetric_of(A: NDArray, lower: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the symmetric matrix whose lower (or upper) triangle is that of ``A``.

    Example:
        >>> nd.linalg.symmetric_of(nd.ones((3, 3))).shape
        (3, 3)
    """
def syrk(A: NDArray, transpose: bool = False, alpha: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A`` with ``transpose``.

    Args:
        A: ``[*batch, M, N]``, float32 or float64.
        transpose: Whether the transpose is the left factor.
        alpha: Factor of the product.

    Returns:
        ``[*batch, M, M]``; ``[*batch, N, N]`` with ``transpose``.

    Example:
        >>> y = nd.linalg.syrk(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     alpha=2.0,
        ... )
        >>> y.asnumpy().round(3)
        array([[11.2 , -6.08],
               [-6.08, 11.2 ]], dtype=float32)
    """
def triangle(A: NDArray, lower: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the lower (or upper) triangle of ``A``, with zeros elsewhere.

    Example:
        >>> nd.linalg.triangle(nd.ones((2, 3, 3))).shape
        (2, 3, 3)
    """
def trmm(A: NDArray, B: NDArray, transpose: bool = False, rightside: bool = False,
        lower: bool = True, alpha: float = 1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``alpha · A · B`` with a triangular ``A``; ``alpha · B · A`` with ``rightside``.

    Args:
        A: ``[*batch, M, M]``, float32 or float64; only one triangle is read.
        B: ``[*batch, M, N]``; ``[*batch, N, M]`` with ``rightside``.
        transpose: Multiply by the transpose of ``A``.
        rightside: Whether ``A`` is the right factor.
        lower: Whether ``A`` is lower triangular; else it is upper triangular.
        alpha: Factor of the product.

    Returns:
        The shape of ``B``.

    Example:
        >>> y = nd.linalg.trmm(
        ...     nd.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]]),
        ...     nd.array([[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-6.  , -3.6 ],
               [-0.4 , -1.84],
               [ 2.56,  4.48]], dtype=float32)
    """
def trsm(A: NDArray, B: NDArray, transpose: bool = False, rightside: bool = False,
        lower: bool = True, alpha: float = 1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Solve ``A · X = alpha · B`` for ``X``, with a triangular ``A``; or ``X · A = alpha · B``.

    Args:
        A: ``[*batch, M, M]``, float32 or float64; only one triangle is read.
        B: ``[*batch, M, N]``; ``[*batch, N, M]`` with ``rightside``.
        transpose: Take the transpose of ``A``.
        rightside: Whether ``A`` is the right factor.
        lower: Whether ``A`` is lower triangular; else it is upper triangular.
        alpha: Factor of ``B``.

    Returns:
        ``X``, in the shape of ``B``.

    Example:
        >>> y = nd.linalg.trsm(
        ...     nd.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]]),
        ...     nd.array([[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-0.667, -0.4  ],
               [-0.027, -0.272],
               [ 0.541,  1.042]], dtype=float32)
    """
