"""Linear models over words, and their formulas beside them."""
