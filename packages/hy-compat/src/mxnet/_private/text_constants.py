"""Tokens of MXNet's text data sets."""

__all__ = ["EOS_TOKEN"]

EOS_TOKEN = "<eos>"  # noqa: S105  # no password
"""What stands at the end of a sentence."""
