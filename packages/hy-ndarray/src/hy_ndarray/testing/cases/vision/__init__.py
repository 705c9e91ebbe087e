"""Cases of the operators in ``ops/vision``."""
