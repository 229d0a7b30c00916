"""The kinds of requests, one module each."""
