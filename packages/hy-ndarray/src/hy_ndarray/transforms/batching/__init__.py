"""vmap: rules that compute all samples at once, a file for each family of operators."""
