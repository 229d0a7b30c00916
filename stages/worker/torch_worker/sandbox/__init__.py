"""Confines one request: what a task may say, reach and use."""
