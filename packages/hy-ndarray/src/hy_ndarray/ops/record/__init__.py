"""Record: the declaration of an operator for arrays, graphs and tables."""
