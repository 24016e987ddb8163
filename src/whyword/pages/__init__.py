"""How plain data is laid out to be looked at; knows no model."""
