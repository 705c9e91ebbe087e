"""Cases of the operators in ``ops/reduce``."""
