"""Helper to write long lists of names as text."""


def listed(text: str) -> list[str]:
    """Return the whitespace-separated words of a text as a list."""
    return text.split()
