"""The ways of tracing a score back to words, one function for each kind of model."""
