"""Matrix products and linear algebra."""

__all__: list[str] = []
