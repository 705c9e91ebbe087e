"""Sparse arrays in CSR or row_sparse storage, which holds only some elements or rows."""
