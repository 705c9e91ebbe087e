"""Record: what an operator says of itself once, for arrays, graphs and tables."""
