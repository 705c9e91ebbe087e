"""Special tokens of MXNet's text datasets."""

__all__ = ["EOS_TOKEN"]

EOS_TOKEN = "<eos>"  # noqa: S105  # no password
"""What stands at the end of a sentence."""
