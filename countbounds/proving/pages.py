"""Pages for readers: each theorem with its statement, its idea and its steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from countbounds.proving.formulas import Every
from countbounds.proving.library import Run
from countbounds.proving.proof import Statement, Step, Theorem


def page(theorem: Theorem, run: Run) -> str:
    """A theorem and its proof as Markdown."""
    statement = theorem.statement
    lines = [
        f"# {statement.title}",
        "",
        f"`{theorem.name}`, after {statement.source}.",
        "",
        *([statement.words, ""] if statement.words else []),
        *_symbols(statement),
    ]
    if statement.hypotheses:
        lines += ["## Given", ""]
        lines += [f"- {name}: {_math(formula)}" for name, formula in statement.hypotheses.items()]
        lines += [""]
    lines += ["## Then", "", f"{_math(statement.conclusion)}", "", "## Proof", ""]
    lines += _steps(run.steps)
    if run.uses:
        lines += ["", "It uses " + ", ".join(f"[{name}]({name}.md)" for name in run.uses) + "."]
    return "\n".join(lines) + "\n"


def index(theorems: Mapping[str, Theorem]) -> str:
    """All theorems with what they say in a sentence, as Markdown."""
    lines = ["# Theorems", ""]
    lines += ["Each holds for all values of its symbols; `countbounds prove` runs the proofs.", ""]
    for name, theorem in theorems.items():
        lines.append(f"- [{theorem.statement.title}]({name}.md): {theorem.statement.words}")
    return "\n".join(lines) + "\n"


def _symbols(statement: Statement) -> list[str]:
    """What the symbols stand for."""
    said = []
    if statement.integers:
        names = ", ".join(f"${sp.latex(symbol)}$" for symbol in statement.integers)
        said.append(f"integers: {names}")
    if statement.vectors:
        names = ", ".join(f"${name}$" for name in statement.vectors)
        said.append(f"vectors of any real inner product space: {names}")
    for symbol, formulas in statement.entries.items():
        known = "".join(f", with {_math(formula)}" for formula in formulas)
        said.append(f"the i-th entries, i = 1..d: ${sp.latex(symbol)}${known}")
    whole = "; ".join([*said, "all other symbols are real numbers"])
    return [f"{whole[0].upper()}{whole[1:]}.", ""]


def _math(formula: Any) -> str:
    if isinstance(formula, Every):
        over = r"\in \mathbb{Z}" if formula.integer else r"\in \mathbb{R}"
        under = "".join(f", {_math(condition)}" for condition in formula.conditions)
        return f"for all ${sp.latex(formula.symbol)} {over}${under}: {_math(formula.formula)}"
    if isinstance(formula, sp.And):
        return " and ".join(_math(part) for part in formula.args)
    written = re.sub("<([^<>]+),([^<>]+)>", r"\\langle \1, \2 \\rangle", sp.latex(formula))
    escaped = re.sub(r"(?<!\\)#", r"\\#", written)
    return f"${escaped}$"


def _steps(steps: tuple[Step, ...]) -> Iterator[str]:
    for step in steps:
        why = f" *{step.why}.*" if step.why else ""
        by = f" ({step.by})" if step.by else ""
        yield f"- {'↳ ' * step.depth}**{step.rule}** `{step.claim}`{by}{why}"
