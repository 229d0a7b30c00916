"""Writes size expressions as text that C++ parses: integers, symbols, + - * // %, max and min."""

import sympy

_MAX_TEXT = 200
_SUM, _PRODUCT, _ATOM = 0, 1, 2  # Precedence of the outermost operator.


class NoText(Exception):
    """The expression contains something that sizes should not contain."""


def _bracketed(text, binding, wanted):
    return text if binding >= wanted else f"({text})"


def _sum(terms, names):
    """Terms with symbols first, in the order of their text; the constant last."""
    texts = []
    for term in terms:
        coefficient, rest = term.as_coeff_Mul()
        negative = bool(coefficient.is_Integer and coefficient < 0)
        texts.append((term.is_Integer, negative, write(-term if negative else term, names, _PRODUCT)))
    texts.sort()
    text = ""
    for _, negative, part in texts:
        text += (" - " if negative else " + ") + part if text else ("0 - " if negative else "") + part
    return text, _SUM


def _product(factors, names):
    numbers = [f for f in factors if f.is_Integer]
    if any(f.is_Rational and not f.is_Integer for f in factors):
        raise NoText("a fraction")
    others = sorted(write(f, names, _ATOM) for f in factors if not f.is_Integer)
    return "*".join([str(int(n)) for n in numbers] + others), _PRODUCT


def _write(expression, names):
    expression = sympy.Integer(expression) if type(expression) is int else expression
    kind = type(expression).__name__
    if expression.is_Integer:
        value = int(expression)
        return (str(value), _ATOM) if value >= 0 else (f"0 - {-value}", _SUM)
    if expression.is_Symbol:
        if expression not in names:
            raise NoText("a symbol that no input has")
        return names[expression], _ATOM
    if expression.is_Add:
        return _sum(expression.args, names)
    if expression.is_Mul:
        if expression.as_coeff_Mul()[0] == -1:
            return "0 - " + write(-expression, names, _PRODUCT), _SUM
        return _product(expression.args, names)
    if expression.is_Pow:
        base, exponent = expression.args
        if not exponent.is_Integer or not 1 < int(exponent) <= 4:
            raise NoText("a power")
        return "*".join([write(base, names, _ATOM)] * int(exponent)), _PRODUCT
    if kind in ("FloorDiv", "CleanDiv"):
        left, right = expression.args
        return f"{write(left, names, _ATOM)}//{write(right, names, _ATOM)}", _PRODUCT
    if kind in ("Mod", "PythonMod"):
        left, right = expression.args
        return f"{write(left, names, _ATOM)} % {write(right, names, _ATOM)}", _PRODUCT
    if kind in ("Max", "Min"):
        parts = sorted(write(item, names) for item in expression.args)
        text = parts[0]
        for part in parts[1:]:
            text = f"{kind.lower()}({text}, {part})"
        return text, _ATOM
    raise NoText(kind)


def write(expression, names, binding=_SUM):
    """The text of an expression, in brackets when it binds less tightly than `binding`. `names`:
    {symbol: text}. Raises NoText."""
    text, own = _write(expression, names)
    if len(text) > _MAX_TEXT:
        raise NoText("a long expression")
    return _bracketed(text, own, binding)
