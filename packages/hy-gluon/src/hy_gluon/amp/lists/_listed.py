"""Long lists of names, written as paragraphs of text."""

__all__ = ["listed"]


def listed(text: str) -> list[str]:
    """Return the words of a text as a list."""
    return text.split()
