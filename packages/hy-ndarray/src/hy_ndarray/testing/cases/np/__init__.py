"""Cases of the operators in ``ops/np``."""
