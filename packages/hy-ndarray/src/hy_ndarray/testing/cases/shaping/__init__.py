"""Cases of the operators in ``ops/shaping``."""
