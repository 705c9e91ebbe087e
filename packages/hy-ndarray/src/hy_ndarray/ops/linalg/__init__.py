"""Products, decompositions and transforms of matrices."""
