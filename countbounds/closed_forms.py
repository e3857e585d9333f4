"""Closed forms printed symbolically, by evaluating the very formulas on sympy's ring."""

from __future__ import annotations

from typing import Any, Literal

from countbounds.decimals import shorten
from countbounds.errors import InputError
from countbounds.expressions import Expr, evaluate
from countbounds.rings import Element, Symbolic
from countbounds.variants import variant
from countbounds.variants.base import DIM, LENGTH
from countbounds.vectors import Vector

Format = Literal["text", "latex"]

_NAMES = {
    "boundary": ("x_#", r"x_{\#}"),
    "space": ("x_s", "x_s"),
    "letter": ("x_l", r"x_{\ell}"),
    "readout": ("w", "w"),
    "gain": ("g", "g"),
    "bias": ("b", "b"),
    "cos_phi": ("cos_phi", r"c_{\varphi}"),
    "cos_theta": ("cos_theta", r"c_{\theta}"),
    "a_min": ("a_min", r"a_{\min}"),
    "A_min": ("A_min", r"A_{\min}"),
    "eps": ("eps", r"\varepsilon"),
    "guaranteed B": ("guaranteed B", r"B_{\mathrm{guaranteed}}"),
    "B_min": ("B_min ~", r"B_{\min} \sim"),
    "L_max": ("L_max ~", r"L_{\max} \sim"),
    "L_cap": ("L_cap ~", r"L_{\mathrm{cap}} \sim"),
    "alpha": ("alpha", r"\alpha"),
    "delta": ("delta", r"\delta"),
}


def show(name: str, form: Format = "text") -> dict[str, str]:
    """The closed forms of a variant.

    Args:
        name: the variant.
        form: "text" (as sympy reads it) or "latex".

    Returns:
        name of the quantity -> its formula: the construction's parameters, its curve
        y(n, m), the bound it guarantees, and the rates that B_min and L_max approach.

    Raises:
        InputError: if there is no such variant or format.

    >>> show("softmax-post-ln")["c"]
    'B*sqrt(d)'
    """
    chosen = variant(name)
    if form not in ("text", "latex"):
        raise InputError(f'Closed forms are printed as "text" or "latex", not {shorten(form)}.')
    column = 0 if form == "text" else 1
    formulas: dict[str, str] = {}
    closed = {"guaranteed B": chosen.guaranteed_bound(LENGTH, DIM), **chosen.formulas()}
    closed["guaranteed B"] = closed.pop("guaranteed B")
    for key, value in closed.items():
        label = _NAMES[key][column] if key in _NAMES else key
        formulas[label] = (
            _print_vector(value, form) if isinstance(value, Vector) else print_formula(value, form)
        )
    limits = {
        "B_min": chosen.sharp_bound,
        "L_max" if chosen.longest is None else "L_cap": chosen.sharp_length,
    }
    for key, limit in limits.items():
        if limit is not None:
            formulas[_NAMES[key][column]] = print_formula(limit, form)
    return formulas


def print_formula(formula: Expr, form: Format = "text", dim: int | None = None) -> str:
    """One closed form as text or LaTeX, with a number in the place of d if one is given."""
    ring = Symbolic()
    symbols = {} if dim is None else {DIM.args[0]: dim}
    return _print(evaluate(formula, ring, symbols), form)


def _print(value: Element, form: Format) -> str:
    import sympy

    if form == "text":
        return str(value)
    names = {
        symbol: _NAMES[symbol.name][1] for symbol in value.free_symbols if symbol.name in _NAMES
    }
    return str(sympy.latex(value, symbol_names=names))


def _print_vector(vector: Vector, form: Format) -> str:
    ring = Symbolic()
    memo: dict[int, Any] = {}
    dots = r"\dots" if form == "latex" else "..."
    entries = [
        _print(evaluate(value, ring, None, memo), form)
        for value, count in vector.head
        for _ in range(count)
    ]
    tail = _print(evaluate(vector.tail, ring, None, memo), form)
    if all(entry == tail for entry in entries):
        entries = [tail]
    return f"({', '.join([*entries, tail, dots, tail])})"
