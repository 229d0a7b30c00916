"""Stands in for a GPU: its devices, its extensions and CuPy."""
