"""From a trained layer to its count curves, exactly.

With weights omega_t (the softmax numerators, or the scores of linear attention) and
N_t = omega_t V_t, V_t the value of token t through the output projection, the layer's output
at (n, m_1, ..., m_k) is N(c) = N_0 + n N_1 + sum_j m_j N_(j+1), over the sum Z(c) of the
weights for softmax. What is added to the output (its bias, the residual) joins every V_t for
softmax, whose weights sum to 1, and N_0 for linear attention. So a row r of the read-out is

- without a norm after attention: <r, N(c)>/Z(c) + beta, linear-fractional in c;
- with one: tau + <r', N(c)>/sqrt(Q(c)), with r' = sqrt(d) P(r * gain), tau = <r, bias> + beta
  and the quadratic form Q(c) = |P N(c)|^2 + d epsilon Z(c)^2 (P = 1 for RMSNorm, Z = 1 for
  linear attention).

All inner products that this needs are rational; only the roots of a norm before attention
and the exponentials are not. Those are taken on whichever ring is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from countbounds.auditing.dyadic import Dyadic
from countbounds.auditing.layer import Affine, TrainedLayer, TrainedNorm
from countbounds.curve import AffineOverRoot, CountCurve, LinearFractional
from countbounds.domain.cone import linear_form, quadratic_form
from countbounds.domain.decide import certain_sign
from countbounds.errors import InputError
from countbounds.rings import Element, Enclosure, Ring

Row = list[Fraction]
Table = list[Row]


@dataclass(frozen=True)
class Curves:
    """The read-outs as functions of the counts c = (1, n, m_1, ..., m_k), on one ring.

    Attributes:
        weights: omega_t for each token (1, 0, 0, ... for linear attention): Z = <omega, c>.
        numerators: for each row of the read-out, <r, N_t> for each token.
        offsets: for each row, what is added at the end.
        gram: Q as a symmetric matrix over the tokens, or None without a norm after attention.
        definite: whether Q > 0 is known at every input: because epsilon > 0, or by
            Lindemann-Weierstrass (`Reduction.on`).
        length: |w|^2 of a regression read-out, w = sqrt(d) P(r * gain), where there is Q.
    """

    weights: tuple[Element, ...]
    numerators: tuple[tuple[Element, ...], ...]
    offsets: tuple[Element, ...]
    gram: tuple[tuple[Element, ...], ...] | None
    definite: bool = False
    length: Element | None = None

    def curve(self, filler: int | None, row: int = 0) -> CountCurve:
        """One row's read-out with one filler (from 0), or with none."""
        tokens = [0, 1] if filler is None else [0, 1, 2 + filler]
        zero = self.weights[0] * 0

        def three(values: tuple[Element, ...]) -> tuple[Element, Element, Element]:
            found = [values[t] for t in tokens]
            return found[0], found[1], zero if filler is None else found[2]

        numerator, offset = self.numerators[row], self.offsets[row]
        if self.gram is None:
            weights = three(self.weights)
            p = tuple(a + offset * w for a, w in zip(three(numerator), weights, strict=True))
            return LinearFractional((p[0], p[1], p[2]), weights)
        (q00, q01, q02), (_, q11, q12) = (three(self.gram[t]) for t in tokens[:2])
        q22 = zero if filler is None else self.gram[tokens[2]][tokens[2]]
        return AffineOverRoot(offset, three(numerator), (q00, q01, q11, q02, q12, q22))

    def value(self, counts: tuple[int, ...], row: int = 0) -> Element:
        """One row's read-out at (n, m_1, ..., m_k), where it is defined."""
        c = (1, *counts)
        top = linear_form(self.numerators[row], c)
        if self.gram is None:
            return top / linear_form(self.weights, c) + self.offsets[row]
        return top / quadratic_form(self.gram, c).sqrt() + self.offsets[row]


class Reduction:
    """A layer, multiplied out to rational inner products: a source for the full-domain checks.

    Args:
        layer: the layer.

    Raises:
        InputError: if a norm before attention is undefined for a token.
    """

    def __init__(self, layer: TrainedLayer) -> None:
        self.layer = layer
        self.tokens = len(layer.embedding)
        self._known: tuple[int, Curves] | None = None
        softmax = layer.attention == "softmax"
        embedding = Dyadic.of(layer.embedding.T)
        plain, scaled = _before(layer, embedding)
        self._squares = _norm_squares(layer, embedding) if scaled is not None else None
        self._require_defined()

        def through(*maps: Affine) -> tuple[Dyadic, Dyadic | None]:
            first, second = plain, scaled
            for affine in maps:
                first = _apply(affine, first)
                second = None if second is None else _apply(affine, second, bias=False)
            return first, second

        queries, keys = through(layer.query), through(layer.key)
        self._scores = [
            [
                None if left is None or right is None else _products(left.column(0), right)[0]
                for right in keys
            ]
            for left in queries
        ]
        values, scaled_values = through(layer.value, Affine(layer.output.weight))
        added = Dyadic.of(0 * layer.readout[:1].T)
        if layer.output.bias is not None:
            added = added + Dyadic.of(layer.output.bias)
        if layer.residual:
            added = added + Dyadic.of(layer.embedding[0])
        if softmax:
            values = values + added.repeated(self.tokens)
        columns = values
        if scaled_values is not None:
            columns = columns.beside(scaled_values)
        self._added = (
            None if softmax else 2 * self.tokens if scaled_values is not None else self.tokens
        )
        if not softmax:
            columns = columns.beside(added)
        self._finish(columns)

    def _finish(self, columns: Dyadic) -> None:
        """Take the inner products of the columns with the read-out and with each other."""
        layer = self.layer
        rows = Dyadic.of(layer.readout.T)
        bias = [Fraction(0)] * len(layer.readout)
        if layer.readout_bias is not None:
            bias = [Fraction(value) for value in layer.readout_bias.tolist()]
        self._gram: Table | None = None
        self._length: Fraction | None = None
        after = layer.after
        if after is not None:
            if after.bias is not None:
                extra = _products(rows, Dyadic.of(after.bias))
                bias = [value + more[0] for value, more in zip(bias, extra, strict=True)]
            if after.weight is not None:
                rows = rows.scaled_rows(Dyadic.of(after.weight))
            self._gram = _centred(columns, columns, after)
            self._alphas = _centred(rows, columns, after)
            self._length = None if layer.classifies else _centred(rows, rows, after)[0][0]
        else:
            self._alphas = _products(rows, columns)
        self._offsets = bias

    def _require_defined(self) -> None:
        before = self.layer.before
        if self._squares is None or before is None or before.epsilon > 0:
            return
        for name, value in zip(self.layer.names, self._squares, strict=True):
            if value == 0:
                raise InputError(
                    f"The norm before attention is undefined for the token {name!r}: its vector "
                    "is zero for the norm, and epsilon is 0. Give the epsilon that the layer "
                    "was trained with."
                )

    @property
    def fillers(self) -> int:
        """The number of fillers."""
        return self.layer.fillers

    @property
    def classes(self) -> int:
        """The number of rows of the read-out."""
        return len(self.layer.readout)

    def alone(self, filler: int | None) -> WithFiller:
        """A regression layer with one of its fillers (from 0), or with none."""
        return WithFiller(self, filler)

    def on(self, ring: Ring) -> Curves:
        """The curves with their coefficients on a ring.

        With softmax the boundary's own term of N(c) is e^(s_0) V_0. If no other score equals
        s_0, the other terms cannot cancel it: exponentials of distinct algebraic numbers are
        linearly independent over the algebraic numbers. So Q > 0 if P V_0 is not zero.
        """
        if isinstance(ring, Enclosure) and self._known is not None and self._known[0] == ring.bits:
            return self._known[1]
        curves = self._curves(ring)
        if isinstance(ring, Enclosure):
            self._known = ring.bits, curves
        return curves

    def _curves(self, ring: Ring) -> Curves:
        layer, tokens = self.layer, range(self.tokens)
        rho = self._inverse_deviations(ring)
        scores = self._scores_on(ring, rho)
        if layer.attention == "softmax":
            shares = tuple(
                ring.number(Fraction(1)) if t == 1 else ring.exp(scores[t] - scores[1])
                for t in tokens
            )
            weights = shares
        else:
            shares = tuple(scores)
            weights = tuple(ring.number(Fraction(int(t == 0))) for t in tokens)

        def combined(row: Row) -> tuple[Element, ...]:
            """The sum over the columns of which each N_t consists."""
            found = []
            for t in tokens:
                value = ring.number(row[t])
                if rho is not None:
                    value = value + rho[t] * ring.number(row[self.tokens + t])
                value = value * shares[t]
                if t == 0 and self._added is not None:
                    value = value + ring.number(row[self._added])
                found.append(value)
            return tuple(found)

        numerators = tuple(combined(row) for row in self._alphas)
        offsets = tuple(ring.number(value) for value in self._offsets)
        if self._gram is None or layer.after is None:
            return Curves(weights, numerators, offsets, None)
        size = ring.number(Fraction(layer.readout.shape[1]))
        root = ring.sqrt(size)
        numerators = tuple(tuple(value * root for value in row) for row in numerators)
        gram = self._gram_on(ring, rho, shares)
        if layer.after.epsilon:
            epsilon = ring.number(layer.after.epsilon) * size
            for i in tokens:
                for j in tokens:
                    gram[i][j] = gram[i][j] + epsilon * weights[i] * weights[j]
        definite = layer.after.epsilon > 0
        if layer.attention == "softmax" and isinstance(ring, Enclosure) and gram[0][0] > 0:
            definite = definite or all(
                certain_sign(scores[t] - scores[0]) not in (None, 0) for t in tokens[1:]
            )
        length = None if self._length is None else size * ring.number(self._length)
        return Curves(weights, numerators, offsets, tuple(map(tuple, gram)), definite, length)

    def _gram_on(
        self, ring: Ring, rho: tuple[Element, ...] | None, shares: tuple[Element, ...]
    ) -> list[list[Element]]:
        """The inner products of the N_t."""
        assert self._gram is not None

        def parts(t: int) -> list[tuple[int, Element]]:
            found = [(t, shares[t])]
            if rho is not None:
                found.append((self.tokens + t, shares[t] * rho[t]))
            if t == 0 and self._added is not None:
                found.append((self._added, ring.number(Fraction(1))))
            return found

        all_parts = [parts(t) for t in range(self.tokens)]
        gram: list[list[Element]] = []
        for i, left in enumerate(all_parts):
            row = [gram[j][i] for j in range(i)]
            for right in all_parts[i:]:
                total = ring.number(Fraction(0))
                for p, factor in left:
                    for q, other in right:
                        total = total + factor * other * ring.number(self._gram[p][q])
                row.append(total)
            gram.append(row)
        return gram

    def _inverse_deviations(self, ring: Ring) -> tuple[Element, ...] | None:
        """1/sqrt(variance + epsilon) of each token (for LayerNorm divided by d)."""
        before = self.layer.before
        if self._squares is None or before is None:
            return None
        d = self.layer.embedding.shape[1]
        epsilon = before.epsilon * (d * d if before.kind == "layer" else 1)
        one = ring.number(Fraction(1))
        return tuple(one / ring.sqrt(ring.number(value + epsilon)) for value in self._squares)

    def _scores_on(self, ring: Ring, rho: tuple[Element, ...] | None) -> list[Element]:
        factor = ring.sqrt(ring.number(self.layer.scale_square))
        one = ring.number(Fraction(1))
        scores = []
        for t in range(self.tokens):
            total = ring.number(Fraction(0))
            for i, left in enumerate(self._scores):
                for j, row in enumerate(left):
                    if row is not None:
                        value = ring.number(row[t])
                        if rho is not None:
                            value = value * (rho[0] if i else one) * (rho[t] if j else one)
                        total = total + value
            scores.append(total * factor)
        return scores


@dataclass(frozen=True)
class WithFiller:
    """One row of a layer's read-out with one of its fillers, as a source of count curves.

    Attributes:
        reduction: the layer.
        filler: which filler, from 0; None for an input without any.
        row: which row of the read-out.
    """

    reduction: Reduction
    filler: int | None
    row: int = 0

    def curve(self, ring: Ring) -> CountCurve:
        """The count curve on a ring."""
        return self.reduction.on(ring).curve(self.filler, self.row)

    def vanishing(self, ring: Ring) -> tuple[tuple[tuple[int, int], Element], ...]:
        """Nothing: a `Reduction` has refused tokens that a norm leaves undefined."""
        return ()


def _before(layer: TrainedLayer, embedding: Dyadic) -> tuple[Dyadic, Dyadic | None]:
    """What attention sees as B_t + rho_t C_t: the columns B, and C where there is a norm.

    For LayerNorm C_t is d times the centred vector, which needs no division.
    """
    norm = layer.before
    if norm is None:
        return embedding, None
    scaled = _uncentred(embedding, norm)
    if norm.weight is not None:
        scaled = scaled.scaled_rows(Dyadic.of(norm.weight))
    bias = layer.embedding[0] * 0 if norm.bias is None else norm.bias
    return Dyadic.of(bias).repeated(len(layer.embedding)), scaled


def _uncentred(embedding: Dyadic, norm: TrainedNorm) -> Dyadic:
    if norm.kind == "rms":
        return embedding
    d, _ = embedding.shape
    sums = embedding.sums().transposed.repeated(d).transposed
    return embedding.times(d) - sums


def _norm_squares(layer: TrainedLayer, embedding: Dyadic) -> Row:
    """The mean square of each token's (centred) vector; d^2 times that for LayerNorm."""
    assert layer.before is not None
    seen = _uncentred(embedding, layer.before)
    d, tokens = seen.shape
    squares = [[value * value for value in row] for row in seen.rows()]
    return [sum((row[t] for row in squares), Fraction(0)) / d for t in range(tokens)]


def _apply(affine: Affine, columns: Dyadic, *, bias: bool = True) -> Dyadic:
    if affine.weight is not None:
        columns = Dyadic.of(affine.weight) @ columns
    if bias and affine.bias is not None:
        columns = columns + Dyadic.of(affine.bias).repeated(columns.shape[1])
    return columns


def _products(left: Dyadic, right: Dyadic) -> Table:
    """The inner products of the columns of two matrices."""
    return (left.transposed @ right).rows()


def _centred(left: Dyadic, right: Dyadic, norm: TrainedNorm) -> Table:
    """The inner products of the columns as the norm sees them (centred, for LayerNorm)."""
    products = _products(left, right)
    if norm.kind == "rms":
        return products
    size = left.shape[0]
    means = _products(left.sums(), right.sums())
    return [
        [value - mean / size for value, mean in zip(row, other, strict=True)]
        for row, other in zip(products, means, strict=True)
    ]
