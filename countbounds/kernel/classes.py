"""That an explicit classification head decodes every input with a gap.

The class vectors c_k and the biases beta_k are quadratics in k. Then so is the score times its
denominator; where that is concave in k, the class n beats all others by what it beats its two
neighbours by. This is a polynomial in n on the edges m = 0 and m = L - n, which decide.
"""

from fractions import Fraction
from typing import Any

from countbounds.kernel import possible as layer
from countbounds.kernel.claims import Facts, fields, number, prove, require
from countbounds.kernel.enclosures import Interval, rounded
from countbounds.kernel.polynomials import positive, times


def check_classes(
    variant: str, length: int, dim: int, bound: Fraction, gap: Fraction, proof: Any
) -> None:
    """Refuse unless the proof's head, all norms <= bound, decodes with at least the gap."""
    parameters, vectors, biases = fields(proof, "layer", "classes", "biases")
    v = layer.read_vectors(variant, dim, bound, parameters, layer.TOKENS)
    lists = isinstance(vectors, list) and isinstance(biases, list)
    require(lists and len(vectors) == len(biases) == 3, "there are not three vectors and biases")
    a, b, c = read = [layer.read_vector(content, dim) for content in vectors]
    beta = [number(content) for content in biases]
    first, last, middle = layer.dot(a, a), layer.dot(c, c), layer.dot(b, b) + 2 * layer.dot(a, c)
    square = [first, 2 * layer.dot(a, b), middle, 2 * layer.dot(b, c), last]
    for p, most in ((square, bound * bound), (beta, bound), ([-x for x in beta], bound)):
        below = [most - p[0], *(-x for x in p[1:])]
        require(positive(below, 0, length), "a class vector or bias is too large")
    if "post-ln" in variant:
        if "gain" in v:
            beta = [x + layer.dot(u, v["bias"]) for x, u in zip(beta, read, strict=True)]
            read = [layer.combine(u, v["gain"], lambda x, y: x * y) for u in read]
        require(beta[1] == beta[2] == 0, "the biases of the classes differ after LayerNorm")
    head = list(zip(read, beta, strict=True))
    prove(lambda bits: _decodes(variant, v, head, length, dim, gap, bits), "the gap")


def _decodes(
    variant: str, v: layer.Vectors, head: list[Any], length: int, dim: int, gap: Any, bits: int
) -> Facts:
    """Whether the head certainly decodes with the gap, and whether it may.

    N and its denominator Z > 0 are affine in (n, m), and so are f_0, f_1, f_2 in
    F(k) = <c_k, N> + beta_k Z = f_0 + f_1 k + f_2 k^2. Without post-LN F(n) - F(k) >= gap Z for
    all m if on both edges. With it the condition is sqrt(d) (F(n) - F(k)) >= gap |P N|, without
    beta and Z, which describes a convex set of N, so the edges decide again.
    """
    values, weights, z = layer.attended(variant, v, dim, bits)
    post = "post-ln" in variant
    if post:
        values, z = [layer.centred(x, dim) for x in values], [Interval(0)] * 3
    terms = zip(weights, values, strict=True)
    one, each, letter = ([(rounded(w * x, bits), i) for x, i in t] for w, t in terms)
    far = layer.combine(one, letter, lambda x, y: x + y * length)
    swap = layer.combine(each, letter, lambda x, y: x - y)
    facts: Facts = []
    for at0, step, q in ((one, each, z), (far, swap, layer.on_edge(z, length))):
        ends = (at0, q[0]), (step, q[1])
        _, f, g = ([layer.dot(c, t) + b * y for t, y in ends] for c, b in head)
        facts += [layer.signs([-g[0] - g[1] * n], 0, 0) for n in (0, length)]
        for s, first, last in ((1, 0, length - 1), (-1, 1, length)):
            # F(n) - F(n + s) = -s f_1 - (1 + 2 s n) f_2
            d = [-s * f[0] - g[0], -s * f[1] - g[1] - 2 * s * g[0], -2 * s * g[1]]
            facts.append(layer.signs([d[0] - gap * q[0], d[1] - gap * q[1], d[2]], first, last))
            if post:
                norm = [layer.dot(at0, at0), 2 * layer.dot(at0, step), layer.dot(step, step), 0, 0]
                both = zip(times(d, d), norm, strict=True)
                facts.append(layer.signs([dim * x - gap**2 * y for x, y in both], first, last))
    return facts
