"""NDArray, its methods, and functions on arrays."""
