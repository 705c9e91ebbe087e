"""Counting of tokens in text."""

import re
from collections import Counter

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",  # noqa: S107  # no password
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: "Counter[str] | None" = None,
) -> "Counter[str]":
    r"""Count the tokens of a text.

    Args:
        source_str: The text.
        token_delim: Delimiter of tokens, a regular expression.
        seq_delim: Delimiter of sequences of tokens, a regular expression.
        to_lower: Convert tokens to lower case.
        counter_to_update: A counter to add to, which is returned; a new one if None.

    Example:
        >>> count_tokens_from_str("a b\na")
        Counter({'a': 2, 'b': 1})
    """
    text = source_str.lower() if to_lower else source_str
    counter = Counter() if counter_to_update is None else counter_to_update
    counter.update(token for token in re.split(f"{token_delim}|{seq_delim}", text) if token)
    return counter
