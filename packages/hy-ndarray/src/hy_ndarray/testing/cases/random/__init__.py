"""Cases of the operators in ``ops/random``."""
