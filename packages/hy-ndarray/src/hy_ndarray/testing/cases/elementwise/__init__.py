"""Cases of the operators in ``ops/elementwise``."""
