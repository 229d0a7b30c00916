"""Finds code in the text of a candidate that an answer with its own kernels does not need."""
