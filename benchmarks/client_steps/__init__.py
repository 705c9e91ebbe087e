"""A training step and a prediction of each client, which runs in its own environment."""
