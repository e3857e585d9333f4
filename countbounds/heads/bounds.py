"""How large the smallest winning gap can be: upper bounds for any head of bounded norms.

All follow from inputs without letters, by adding up the gaps of neighbouring classes
(docs/theory.md, section 8). B bounds every embedding, gain, bias, class vector and beta_k
in norm; R bounds the tokens as attention sees them: B, sqrt(d) (bare pre-LN), or
(1 + sqrt(d-1)) B (learned pre-LN: |g * u| <= sqrt(d-1) B and |b| <= B).
"""

from __future__ import annotations

from fractions import Fraction

from countbounds.expressions import Expr, exp, log, maximum, minimum, power, rational, sqrt
from countbounds.variants import variant as variant_named
from countbounds.variants.base import LENGTH


def largest_gap(name: str, length: int, dim: int, bound: Fraction) -> Expr:
    """An upper bound of the smallest winning gap of any head of a variant.

    Args:
        name: a name of `countbounds.variants.NAMES`.
        length: L >= 1.
        dim: d >= 3.
        bound: B > 0.

    Returns:
        a closed form: for softmax before a norm (theorems `class-gap-is-bounded`,
        `class-gap-at-the-largest-weight`, `class-gap-at-the-best-weight`, and for bare pre-LN
        `class-gap-of-bare-pre-ln`), for linear attention
        (`class-gap-of-linear-attention-is-bounded`) and for post-LN (`class-gap-of-post-ln`).
    """
    layer = variant_named(name).layer
    b, size, root = rational(bound), rational(length), sqrt(rational(dim))
    if layer.placement == "post":
        # |P(c_k * g)| <= sqrt(1 - 1/d) B^2 for a learned norm.
        reach = sqrt(rational(dim - 1)) * b * b if layer.learned else root * b
        return reach * (88 - 56 * sqrt(rational(2))) / (size * size)
    seen = b
    if layer.placement == "pre":
        seen = (1 + sqrt(rational(dim - 1))) * b if layer.learned else root
    if layer.attention == "linear":
        score = seen * seen / root
        return minimum(2 * (score * b * seen + b) / (size * size), score * b * seen / size)
    # The boundary's weight a is at most e^(2 R^2/sqrt(d)), which may be too large for a ball.
    least = exp(-2 * seen * seen / root)
    if length == 1:
        return 2 * b * seen
    best = sqrt(3 / (size * size - 1))
    rest = (size * size - 1) / 3
    light = 2 * (b * seen + b) / (size * size + 2 * size * rest * least)
    share = maximum(least, best)  # 1/a, at the largest weight or at the best one
    both = minimum(light, 2 * b * seen / (size * size + size * (1 / share + rest * share)))
    if layer.placement == "none" or layer.learned:
        return both
    apart = b * sqrt(2 * root * maximum(rational(1), log(2 * size / sqrt(3))))
    return minimum(both, apart / (size * size + 2 * size * rest * best))


def gap_rate(name: str) -> Expr:
    """How the best smallest gap shrinks with L, at fixed B and d, up to a constant.

    The constructions and `largest_gap` agree in it: L^-2, and L^-3 for softmax without a norm
    after attention, where the boundary's weight stays below a limit that B and d set.
    """
    layer = variant_named(name).layer
    light = layer.attention == "softmax" and layer.placement != "post"
    return 1 / power(LENGTH, Fraction(3 if light else 2))
