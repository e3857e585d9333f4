"""The facts of analysis and arithmetic that the engine takes as given.

Each is a schema: terms go in, a formula comes out, under formulas that have to be proven
first. Together with the rules of `countbounds.proving.proof` (listed in `RULES`) these are all
that a proof rests on besides its deciders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from countbounds.proving.formulas import Formula


@dataclass(frozen=True)
class Axiom:
    """A schema.

    Attributes:
        words: the statement.
        needs: what has to hold of the terms.
        says: what holds then.
    """

    words: str
    needs: Callable[..., list[Formula]]
    says: Callable[..., Formula]


AXIOMS = {
    "exp lies above its tangent": Axiom(
        "exp(x) >= 1 + x", lambda x: [], lambda x: sp.exp(x) >= 1 + x
    ),
    "exp of a sum": Axiom(
        "exp(x) = exp(y) exp(x - y)",
        lambda x, y: [],
        lambda x, y: sp.Eq(
            sp.exp(x), sp.Mul(sp.exp(y), sp.exp(x - y), evaluate=False), evaluate=False
        ),
    ),
    "exp increases": Axiom(
        "x < y if and only if exp(x) < exp(y)",
        lambda x, y: [],
        lambda x, y: sp.And(
            sp.Implies(x < y, sp.exp(x) < sp.exp(y)), sp.Implies(x >= y, sp.exp(x) >= sp.exp(y))
        ),
    ),
    "log inverts exp": Axiom(
        "log(exp(x)) = x", lambda x: [], lambda x: sp.Eq(sp.log(sp.exp(x)), x)
    ),
    "exp inverts log": Axiom(
        "exp(y) = x if y = log(x) and x > 0",
        lambda x, y: [x > 0, sp.Eq(y, sp.log(x))],
        lambda x, y: sp.Eq(sp.exp(y), x),
    ),
    "log increases": Axiom(
        "x < y if and only if log(x) < log(y), for x, y > 0",
        lambda x, y: [x > 0, y > 0],
        lambda x, y: sp.And(
            sp.Implies(x < y, sp.log(x) < sp.log(y)), sp.Implies(x >= y, sp.log(x) >= sp.log(y))
        ),
    ),
    "log of a product": Axiom(
        "log(x y) = log(x) + log(y) for x, y > 0",
        lambda x, y: [x > 0, y > 0],
        lambda x, y: sp.Eq(sp.log(x * y), sp.log(x) + sp.log(y)),
    ),
    "log lies below its tangent": Axiom(
        "log(x) <= x - 1 for x > 0", lambda x: [x > 0], lambda x: sp.log(x) <= x - 1
    ),
}

RULES = {
    "reals": "what z3 or exact root isolation decides about real numbers with + - * / and roots; "
    "exp(x) > 0",
    "identity": "what sympy and python-flint both find equal, as terms with + - * / and roots",
    "enclosed": "what arb's enclosures show about a number, or on each piece of an interval",
    "integer gap": "an integer is <= 0 or >= 1",
    "no square": "p^2 = k q^2 has no integer solutions but q = 0 if k >= 0 is not a square",
    "residue": "an integer is m q + r for an integer q and one r of 0..m - 1",
    "floor": "if m <= x < m + 1 for an integer m then floor(x) = m",
    "induction": "a formula that holds at a start and passes from n to n + 1 holds from there on",
    "sums": "a relation of sums over i that holds at 0 and survives one more summand holds",
    "square": "|c_1 v_1 + ... + c_k v_k|^2 >= 0, expanded by inner products",
    "rises": "a function does not decrease (increases) where its derivative is >= 0 (> 0)",
    "cases": "what follows in each of several cases that exhaust all follows",
    "every": "what is shown for a new symbol holds for all its values",
    "at": "what holds for all values holds for one",
    "unfold": "what holds of a symbol holds of a term that is equal to it",
    "definition": "a new symbol may stand for a term",
    "use": "a proven theorem holds for any terms that satisfy its hypotheses, and for vectors of "
    "R^d given by their entries or as the unit vector e_i",
}
