"""Cases of the operators in ``ops/indexing``."""
