"""The value that says which words mattered, and what is made of it alone."""
