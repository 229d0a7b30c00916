"""Finds branches of which one way only raises, warns, logs or passes: such a test chooses no result."""

import ast

_QUIET = ("print", "warnings.warn", "warnings.simplefilter", "warnings.filterwarnings", "logging.")
_LOGS = frozenset("debug info warning error".split())


def _is_quiet(statement):
    if isinstance(statement, (ast.Pass, ast.Raise, ast.Assert)):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return isinstance(value, ast.Constant) or called.startswith(_QUIET) or (
        called.partition(".")[2] in _LOGS and not called.startswith("self."))


def is_inert(node):
    """Whether a result has one way only through an `if`: a way raises, or none does anything."""
    if not isinstance(node, ast.If):
        return False
    quiet = [all(map(_is_quiet, way)) for way in (node.body, node.orelse)]
    return all(quiet) or any(
        silent and way and isinstance(way[-1], ast.Raise)
        for silent, way in zip(quiet, (node.body, node.orelse)))
