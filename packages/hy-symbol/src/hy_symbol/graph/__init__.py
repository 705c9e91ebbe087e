"""Graph: nodes, how they are made, and the one way to rewrite them."""
