"""Cases of the operators in ``ops/optimizer``."""
