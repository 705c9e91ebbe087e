"""Cases of the operators in ``ops/linalg``."""
