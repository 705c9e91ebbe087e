"""Cases of the operators in ``ops/nn``."""
