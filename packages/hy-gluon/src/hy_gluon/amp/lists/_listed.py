"""Long lists of names as paragraphs."""

__all__ = ["listed"]


def listed(text: str) -> list[str]:
    """Return the words of a text."""
    return text.split()
