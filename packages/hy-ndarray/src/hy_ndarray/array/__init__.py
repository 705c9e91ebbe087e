"""Array: NDArray and its methods."""
