"""How good a model is, and how good are explanations of it."""
