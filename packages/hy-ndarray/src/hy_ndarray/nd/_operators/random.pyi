# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.array.ndarray import NDArray

def exponential_like(data: NDArray, lam: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of an exponential distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        lam: Its rate, positive; the mean is ``1 / lam``.

    Example:
        >>> nd.random.exponential_like(nd.ones((1,)), lam=2).shape
        (1,)
    """
def gamma_like(data: NDArray, alpha: float = 1.0, beta: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of a gamma distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        alpha: Its shape, positive.
        beta: Its scale, positive; the mean is ``alpha * beta``.

    Example:
        >>> nd.random.gamma_like(nd.ones((2,)), alpha=2, beta=3).shape
        (2,)
    """
def generalized_negative_binomial_like(data: NDArray, mu: float = 1.0, alpha: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Whole numbers of a negative binomial distribution given by its mean.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        mu: Its mean, not negative.
        alpha: Its dispersion, not negative; 0 is the Poisson distribution.

    Example:
        >>> nd.random.generalized_negative_binomial_like(nd.ones((3,)), mu=2).shape
        (3,)
    """
def multinomial_backward(dy: NDArray, data: NDArray, index: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the gradient of the log probabilities with respect to ``data``.

    Example:
        >>> y = nd.random.multinomial_backward(
        ...     nd.array([[0.1, 0.3, 0.4], [0.6, 0.7, 0.9]]),
        ...     nd.ones((2, 4)),
        ...     nd.array([[0, 3, 0], [1, 1, 1]]),
        ... )
        >>> y.shape
        (2, 4)
    """
def negative_binomial_like(data: NDArray, k: int = 1, p: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Draw the number of failed trials before the ``k``-th success, in a floating dtype.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        k: Number of successes, not negative.
        p: Probability of a success, above 0; one above 1 is 1.

    Example:
        >>> nd.random.negative_binomial_like(nd.ones((3,)), k=2, p=0.5).shape
        (3,)
    """
def normal_like(data: NDArray, loc: float = 0.0, scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of a normal distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        loc: Its mean.
        scale: Its standard deviation, not negative.

    Example:
        >>> nd.random.normal_like(nd.ones((2, 3))).shape
        (2, 3)
    """
def pdf_dirichlet(sample: NDArray, alpha: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the density of the Dirichlet distribution.

    Args:
        sample: ``[*S, *N, K]``, floating: vectors, each of sum 1.
        alpha: ``[*S, K]``, the concentrations; same dtype as ``sample``.
        is_log: Return the logarithm of the density.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_dirichlet(
        ...     nd.array([[0.2, 0.3, 0.5], [0.6, 0.8, 0.9]]),
        ...     nd.array([[0.2, 0.3, 0.5], [0.6, 0.8, 0.9]]),
        ...     is_log=True,
        ... )
        >>> y.asnumpy().round(3)
        array([-0.715, -0.203], dtype=float32)
    """
def pdf_exponential(sample: NDArray, lam: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Density of the exponential distribution; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        lam: ``[*S]``, the rates; the dtype of ``sample``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_exponential(
        ...     nd.array([[0.2, 0.3, 0.5], [0.6, 0.8, 0.9]]),
        ...     nd.array([0.2, 0.9]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0.192, 0.188, 0.181],
               [0.524, 0.438, 0.4  ]], dtype=float32)
    """
def pdf_gamma(sample: NDArray, alpha: NDArray, beta: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Density of the gamma distribution with a rate; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        alpha: ``[*S]``, the shapes; the dtype of ``sample``.
        beta: ``[*S]``, the rates, one over what ``_random_gamma`` calls ``beta``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_gamma(
        ...     nd.array([[0.2, 0.3, 0.5], [0.6, 0.8, 0.9]]),
        ...     nd.array([0.2, 0.9]),
        ...     nd.array([0.2, 0.9]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0.55 , 0.39 , 0.249],
               [0.522, 0.424, 0.383]], dtype=float32)
    """
def pdf_generalized_negative_binomial(sample: NDArray, mu: NDArray, alpha: NDArray,
        is_log: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Probability in the negative binomial distribution given by its mean; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        mu: ``[*S]``, the means; the dtype of ``sample``.
        alpha: ``[*S]``, the dispersions, positive.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_generalized_negative_binomial(
        ...     nd.array([[0.0, 1.0, 5.0], [2.0, 0.0, 3.0]]),
        ...     nd.array([0.2, 0.9]),
        ...     nd.array([0.2, 0.9]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0.822, 0.158, 0.   ],
               [0.121, 0.517, 0.056]], dtype=float32)
    """
def pdf_negative_binomial(sample: NDArray, k: NDArray, p: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Probability of so many failures before the ``k``-th success; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        k: ``[*S]``, the numbers of successes; the dtype of ``sample``.
        p: ``[*S]``, the probabilities of a success.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_negative_binomial(
        ...     nd.array([[0.0, 1.0, 5.0], [2.0, 0.0, 3.0]]),
        ...     nd.array([0.2, 0.9]),
        ...     nd.array([0.2, 0.9]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0.725, 0.116, 0.014],
               [0.008, 0.91 , 0.001]], dtype=float32)
    """
def pdf_normal(sample: NDArray, mu: NDArray, sigma: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Density of the normal distribution.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        mu: ``[*S]``, the means; the dtype of ``sample``.
        sigma: ``[*S]``, the standard deviations.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_normal(
        ...     nd.array([[0.2, 0.3, 0.5], [0.6, 0.8, 0.9]]),
        ...     nd.array([0.2, 0.9]),
        ...     nd.array([0.2, 0.9]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1.995, 1.76 , 0.648],
               [0.419, 0.441, 0.443]], dtype=float32)
    """
def pdf_poisson(sample: NDArray, lam: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Probability in the Poisson distribution; 0 for negative numbers.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        lam: ``[*S]``, the means; the dtype of ``sample``.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_poisson(
        ...     nd.array([[0.0, 1.0, 5.0], [2.0, 0.0, 3.0]]),
        ...     nd.array([0.2, 0.9]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0.819, 0.164, 0.   ],
               [0.165, 0.407, 0.049]], dtype=float32)
    """
def pdf_uniform(sample: NDArray, low: NDArray, high: NDArray, is_log: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Density of the uniform distribution; 0 outside of it.

    Args:
        sample: ``[*S, *N]``, floating: some numbers for each distribution.
        low: ``[*S]``, the least numbers; the dtype of ``sample``.
        high: ``[*S]``, the bounds.
        is_log: Return the logarithm.

    Returns:
        ``[*S, *N]``.

    Example:
        >>> y = nd.random.pdf_uniform(
        ...     nd.array([-1.0, 0.0, 0.5, 9.0]),
        ...     nd.array([0.0, 0.0, 0.0, 0.0]),
        ...     nd.array([2.0, 2.0, 2.0, 2.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([0. , 0.5, 0.5, 0. ], dtype=float32)
    """
def poisson_like(data: NDArray, lam: float = 1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Whole numbers of a Poisson distribution, in a floating dtype.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        lam: Its mean, not negative.

    Example:
        >>> nd.random.poisson_like(nd.ones((3,)), lam=4).shape
        (3,)
    """
def uniform_like(data: NDArray, low: float = 0.0, high: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of equal probability from ``low`` up to ``high``.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        low: Least number.
        high: Bound of the numbers, not below ``low``.

    Example:
        >>> nd.random.uniform_like(nd.ones((2, 3)), low=-1, high=2).shape
        (2, 3)
    """
def unique_zipfian(range_max: int, shape: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return rows of distinct integers from an approximately log-uniform (Zipfian) distribution.

    ``k`` is drawn with probability ``log((k + 2) / (k + 1)) / log(range_max + 1)``; draws repeat
    until a row has ``N`` distinct integers.

    Args:
        range_max: Upper bound of the integers, exclusive.
        shape: ``(B, N)``: number of rows and their length.

    Returns:
        The integers, ``[B, N]``, and the number of draws for each row, ``[B]``; both int64.

    Example:
        >>> [y.shape for y in nd.random.unique_zipfian(range_max=9, shape=(2, 9))]
        [(2, 9), (2,)]
    """
