"""Long lists of names as paragraphs."""

__all__ = ["listed"]


def listed(text: str) -> list[str]:
    """The words of a text."""
    return text.split()
