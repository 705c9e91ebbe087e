"""Vocabulary: a mapping between tokens and indices."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_gluon.data import DataError

__all__ = ["Vocabulary"]


class Vocabulary:
    """Indices of tokens: first the unknown one, then reserved ones, then others by frequency.

    Args:
        counter: Number of occurrences by token; no tokens if None.
        most_freq_count: Maximum number of tokens, without the unknown and the reserved ones; all
            of them if None or negative.
        min_freq: Minimum number of occurrences of a token.
        unknown_token: Token at index 0, which represents all tokens not in the vocabulary.
        reserved_tokens: Tokens that are always included, such as one for padding.

    Raises:
        DataError: ``counter`` is not a mapping, ``min_freq`` is below 1, or a reserved token is
            duplicate or the unknown token.

    Example:
        >>> vocabulary = Vocabulary({"the": 3, "cat": 1, "a": 3}, reserved_tokens=["<pad>"])
        >>> vocabulary.idx_to_token
        ['<unk>', '<pad>', 'a', 'the', 'cat']
        >>> vocabulary.to_indices(["the", "dog"])
        [3, 0]
    """

    def __init__(
        self,
        counter: Mapping[str, int] | None = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: str = "<unk>",  # noqa: S107  # a token, no password
        reserved_tokens: Sequence[str] | None = None,
    ) -> None:
        if counter is not None and not isinstance(counter, Mapping):
            raise DataError(
                "Vocabulary: counter must say how often each token occurs, such as "
                f"collections.Counter(tokens), not {type(counter).__name__}"
            )
        if min_freq < 1:
            raise DataError(f"Vocabulary: min_freq must be at least 1, not {min_freq}")
        reserved = list(reserved_tokens or ())
        if unknown_token in reserved or len(set(reserved)) < len(reserved):
            raise DataError(
                f"Vocabulary: reserved_tokens {reserved} must differ from each other and from "
                f"the unknown token {unknown_token!r}"
            )
        self._unknown_token = unknown_token
        self._reserved_tokens = reserved or None
        always = [unknown_token, *reserved]
        counted = [
            # Frequent first, then by letters: the same counts give the same numbers.
            (-count, token)
            for token, count in (counter or {}).items()
            if count >= min_freq and token not in always
        ]
        limit = None if most_freq_count is not None and most_freq_count < 0 else most_freq_count
        tokens = [token for _, token in sorted(counted)][:limit]
        self._idx_to_token = [*always, *tokens]
        self._token_to_idx = {token: i for i, token in enumerate(self._idx_to_token)}

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[str, int]:
        """Return the indices by token."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[str]:
        """Return the tokens by index."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> str:
        """Return the token that represents unknown tokens."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[str] | None:
        """Return the reserved tokens."""
        return self._reserved_tokens

    def to_indices(self, tokens: str | Sequence[str]) -> Any:
        """Return the index of a token, or a list for several; 0 for unknown tokens."""
        if isinstance(tokens, str):
            return self._token_to_idx.get(tokens, 0)
        return [self._token_to_idx.get(token, 0) for token in tokens]

    def to_tokens(self, indices: int | Sequence[int]) -> Any:
        """Return the token at an index, or a list for several; -1 is the last one.

        Raises:
            DataError: An index is outside the vocabulary.
        """
        value: object = indices  # may be a string, which is refused as a whole
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
            return [self._token(index) for index in value]
        return self._token(value)

    def _token(self, index: object) -> str:
        if not isinstance(index, int | np.integer) or not -len(self) <= index < len(self):
            raise DataError(
                f"there is no token {index!r}: tokens have the numbers 0 to {len(self) - 1}"
            )
        return self._idx_to_token[index]
