"""Graph: nodes, their composition, and the general way to rewrite them."""
