"""Text generation by a decoder, token by token, with a cache of keys and values."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hy_gluon._errors import LayerError
from hy_ndarray import NDArray, autograd, nd

__all__ = ["generate", "stream"]

_SHORTEST_CACHE = 64
"""Tokens that the first cache has room for: the net is compiled for each length."""


def generate(net: Any, tokens: Sequence[int], count: int, **options: Any) -> list[int]:
    """Return up to ``count`` tokens generated after ``tokens``; generation stops at ``end``.

    A net that is hybridized with ``donate_argnums=2`` writes keys and values into its cache, else
    into a copy of it for each token.

    Args:
        net: A :class:`.decoder.Decoder`, or what has its ``max_length``, ``begin_cache`` and call.
        tokens: The text so far, one token or more.
        count: Number of tokens to generate.
        options: Keyword arguments of :func:`stream`.

    Raises:
        LayerError: See :func:`stream`.
    """
    return list(stream(net, tokens, count, **options))


def stream(
    net: Any,
    tokens: Sequence[int],
    count: int,
    *,
    temperature: float = 0.0,
    top_k: int = 0,
    seed: int | None = None,
    end: int | None = None,
) -> Iterator[int]:
    """Yield up to ``count`` generated tokens after ``tokens``, each as soon as it is computed.

    Args:
        net: A :class:`.decoder.Decoder`, or what has its ``max_length``, ``begin_cache`` and call.
        tokens: The text so far, one token or more.
        count: Number of tokens to generate.
        temperature: Divisor of the scores before a token is drawn; 0 takes the likeliest token.
        top_k: Number of the likeliest tokens to draw from; 0 for all.
        seed: Seed of the draws; the same seed gives the same text.
        end: Token after which generation stops; it is the last one yielded.

    Raises:
        LayerError: ``tokens`` is empty, or the text would exceed ``max_length``.
    """
    drawn = [int(token) for token in tokens]
    if not drawn:
        raise LayerError("generate: give at least one token to begin with")
    if len(drawn) + count > net.max_length:
        raise LayerError(
            f"generate: {len(drawn)} tokens and {count} more are over the net's"
            f" max_length={net.max_length}; give the last tokens, or ask for fewer"
        )
    rng = np.random.default_rng(seed)
    cache: Any = []
    length = position = 0
    for _ in range(count):
        after = position + len(drawn)
        if after > length:
            length = _cache_length(after, net.max_length)
            cache = _moved(cache, net.begin_cache(1, length))
        # The prompt at once, then one token for each call.
        batch, positions = (
            nd.array(x, dtype="int32") for x in ([drawn], np.arange(position, after))
        )
        with autograd.pause(train_mode=False):
            scores, cache = net(batch, positions, cache)
        position = after
        if len(drawn) > 1:
            scores = scores[:, -1:]  # those of a long prompt are not copied to the host
        last = scores.asnumpy()[0, -1].astype(np.float64)
        drawn = [_sample(last, temperature, top_k, rng)]
        yield drawn[0]
        if drawn[0] == end:
            return


def _cache_length(tokens: int, max_length: int) -> int:
    """Return the length of a cache for that many tokens: a power of two, or ``max_length``."""
    # Attention reads the whole cache for each token, and may copy it: in a net for 4,096 tokens the
    # first 40 take 1.5 ms each instead of 8.5. Powers of two, as each length is compiled once.
    return min(max_length, max(_SHORTEST_CACHE, 1 << (tokens - 1).bit_length()))


def _moved(cache: Sequence[tuple[NDArray, NDArray]], longer: Any) -> Any:
    """Copy the keys and values of each layer to the beginning of a longer cache, and return it."""
    for old_arrays, new_arrays in zip(cache, longer, strict=False):  # at first there is none
        for old, new in zip(old_arrays, new_arrays, strict=True):
            new[: len(old)] = old
    return longer


def _sample(
    scores: np.ndarray[Any, Any], temperature: float, top_k: int, rng: np.random.Generator
) -> int:
    if temperature == 0:
        return int(scores.argmax())
    if 0 < top_k < len(scores):
        # Fan et al. 2018; ties with the last one stay.
        scores = np.where(scores >= np.partition(scores, -top_k)[-top_k], scores, -np.inf)
    # The largest is subtracted, so that exp overflows at no temperature.
    shares = np.exp((scores - scores.max()) / temperature)
    return int(rng.choice(len(shares), p=shares / shares.sum()))
