"""A layer with its parameters: the forward pass, and its reduction to a count curve.

The layer is read at the boundary token, which attends to itself and to every other
token; query, key and value maps are the identity, and there are no positional
encodings, so the output depends on (n, m) alone: n spaces and m letters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from countbounds.curve import AffineOverRoot, CountCurve, LinearFractional
from countbounds.errors import InputError
from countbounds.expressions import evaluate
from countbounds.layer import Layer, Parameters
from countbounds.rings import Element, Floating, Ring
from countbounds.vectors import Vector

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Tokens:
    """What attention sees, on a ring: for boundary, space and letter in this order.

    Attributes:
        values: the vectors attended to (after pre-LN, where there is one).
        scores: <q, k> / sqrt(d), with the boundary token's query.
        embedding: the boundary token's own embedding, for the residual.
    """

    values: tuple[Vector, Vector, Vector]
    scores: tuple[Element, Element, Element]
    embedding: Vector


@dataclass(frozen=True)
class Model:
    """A layer with its parameters: what the full-domain check is asked about.

    Raises:
        InputError: if the norm is learned and gain or bias are missing, or given where
            there is nothing learned.
    """

    layer: Layer
    parameters: Parameters

    def __post_init__(self) -> None:
        """Check that gain and bias are there exactly when the norm is learned."""
        for name in ("gain", "bias"):
            present = getattr(self.parameters, name) is not None
            if present != self.layer.learned:
                state = "needs a" if self.layer.learned else "has no"
                raise InputError(f"This layer's norm {state} {name}.")

    def tokens(self, parameters: Parameters, ring: Ring) -> Tokens:
        """Values and scores of the three tokens.

        Args:
            parameters: this model's parameters, evaluated on the ring.
            ring: the ring.
        """
        raw = (parameters.boundary, parameters.space, parameters.letter)
        values = raw
        if self.layer.placement == "pre":
            boundary, space, letter = (self.norm(vector, parameters, ring) for vector in raw)
            values = (boundary, space, letter)
        root = root_of_dim(parameters, ring)
        query = values[0]
        scores = tuple(query.dot(value) / root for value in values)
        return Tokens(values, scores, parameters.boundary)

    def norm_square(self, vector: Vector, ring: Ring) -> tuple[Vector, Element]:
        """The vector as the norm sees it, and what stands under its root times d."""
        seen = vector.centred() if self.layer.norm == "layer" else vector
        square = seen.dot(seen)
        if self.layer.epsilon.value != 0:
            square = square + evaluate(self.layer.epsilon, ring) * vector.dim
        return seen, square

    def norm(self, vector: Vector, parameters: Parameters, ring: Ring) -> Vector:
        """LayerNorm (or RMSNorm) of a vector, with gain and bias where learned."""
        seen, square = self.norm_square(vector, ring)
        result = seen.scaled(root_of_dim(parameters, ring) / ring.sqrt(square))
        if parameters.gain is not None and parameters.bias is not None:
            result = result * parameters.gain + parameters.bias
        return result

    def forward(self, n: Element, m: Element, ring: Ring) -> Element:
        """The read-out y(n, m), by the layer's own steps.

        Args:
            n: number of spaces: an int or ring element; on the float ring also an array.
            m: number of letters, likewise.
            ring: where to compute.

        Returns:
            y on the ring (an array for arrays). On the float ring an undefined value is
            nan; elsewhere dividing by zero is the ring's affair.

        >>> from countbounds.rings import Floating
        >>> p = Parameters.of([0, 0, 0], [2, 0, 0], [0, 0, 0], [1, 0, 0])
        >>> float(Model(Layer(), p).forward(1, 0, Floating()))
        1.0
        """
        hidden, parameters = self._hidden(n, m, ring)
        return parameters.readout.dot(hidden) + parameters.readout_bias

    def hidden(self, n: Element, m: Element, ring: Ring) -> Vector:
        """What the read-out sees at (n, m): the attention output, after post-LN where there is one.

        Args:
            n: as for `forward`.
            m: as for `forward`.
            ring: where to compute.
        """
        return self._hidden(n, m, ring)[0]

    def _hidden(self, n: Element, m: Element, ring: Ring) -> tuple[Vector, Parameters]:
        parameters = self.parameters.on(ring)
        # A token that is absent must not matter, even where its own norm is undefined.
        if isinstance(n, int) and n == 0:
            parameters = replace(parameters, space=parameters.boundary)
        if isinstance(m, int) and m == 0:
            parameters = replace(parameters, letter=parameters.boundary)
        tokens = self.tokens(parameters, ring)
        boundary, space, letter = tokens.values
        if self.layer.attention == "softmax":
            largest = tokens.scores[1]
            if isinstance(ring, Floating):  # which overflow
                for score in tokens.scores:
                    largest = ring.maximum(largest, score)
            weights = softmax_weights(tokens.scores, ring, largest)
            counts = (weights[0], weights[1] * n, weights[2] * m)
            total = counts[0] + counts[1] + counts[2]
            shares = [count / total for count in counts]
        else:
            shares = [tokens.scores[0], tokens.scores[1] * n, tokens.scores[2] * m]
        hidden = boundary.scaled(shares[0]) + space.scaled(shares[1]) + letter.scaled(shares[2])
        if self.layer.residual:
            hidden = hidden + tokens.embedding
        if self.layer.placement == "post":
            hidden = self.norm(hidden, parameters, ring)
        return hidden, parameters

    def curve(self, ring: Ring) -> CountCurve:
        """The count curve, its coefficients on a ring (docs/theory.md, the reduction)."""
        parameters = self.parameters.on(ring)
        tokens = self.tokens(parameters, ring)
        values = tokens.values
        softmax = self.layer.attention == "softmax"
        weights = softmax_weights(tokens.scores, ring) if softmax else tokens.scores
        if softmax and self.layer.residual:
            values = tuple(value + tokens.embedding for value in values)  # type: ignore[assignment]
        if self.layer.placement != "post":
            readout = parameters.readout
            alphas = [readout.dot(value) + parameters.readout_bias for value in values]
            if softmax:
                p0, p1, p2 = (weight * alpha for weight, alpha in zip(weights, alphas, strict=True))
                return LinearFractional((p0, p1, p2), weights)
            p0, p1, p2 = (
                weight * readout.dot(value) for weight, value in zip(weights, values, strict=True)
            )
            if self.layer.residual:
                p0 = p0 + readout.dot(tokens.embedding)
            one, zero = ring.number(_ONE), ring.number(_ZERO)
            return LinearFractional((p0 + parameters.readout_bias, p1, p2), (one, zero, zero))
        readout, offset = parameters.readout, parameters.readout_bias
        if parameters.gain is not None and parameters.bias is not None:
            offset = readout.dot(parameters.bias) + offset
            readout = readout * parameters.gain
        vectors = [value.scaled(weight) for value, weight in zip(values, weights, strict=True)]
        if not softmax and self.layer.residual:
            vectors[0] = vectors[0] + tokens.embedding
        if self.layer.norm == "layer":
            vectors = [vector.centred() for vector in vectors]
        root = root_of_dim(parameters, ring)
        a0, a1, a2 = (readout.dot(vector) * root for vector in vectors)
        gram = {(i, j): vectors[i].dot(vectors[j]) for j in range(3) for i in range(j + 1)}
        if self.layer.epsilon.value != 0:
            epsilon = evaluate(self.layer.epsilon, ring) * parameters.dim
            if softmax:
                for (i, j), product in gram.items():
                    gram[i, j] = product + epsilon * weights[i] * weights[j]
            else:
                gram[0, 0] = gram[0, 0] + epsilon
        return AffineOverRoot(offset, (a0, a1, a2), tuple(gram.values()))

    def vanishing(self, ring: Ring) -> tuple[tuple[tuple[int, int], Element], ...]:
        """What must not be zero for pre-LN: the squared norm of each token's vector.

        Returns:
            for each token, the least input that holds it, and the square on the ring.
        """
        if self.layer.placement != "pre":
            return ()
        parameters = self.parameters.on(ring)
        tokens = (
            ((0, 0), parameters.boundary),
            ((0, 1), parameters.letter),
            ((1, 0), parameters.space),
        )
        return tuple((at, self.norm_square(vector, ring)[1]) for at, vector in tokens)


def root_of_dim(parameters: Parameters, ring: Ring) -> Element:
    """sqrt(d) on the ring."""
    dim = parameters.dim
    return ring.sqrt(ring.number(Fraction(dim)) if isinstance(dim, int) else dim)


def softmax_weights(
    scores: tuple[Element, Element, Element], ring: Ring, shift: Element | None = None
) -> tuple[Element, Element, Element]:
    """The unnormalised weights e^(score - shift).

    The shift cancels in every output. By default it is the score of a space: the weights
    are a, 1 and delta of the theory.
    """
    boundary, space, letter = scores
    if shift is None:
        return ring.exp(boundary - space), ring.number(_ONE), ring.exp(letter - space)
    return ring.exp(boundary - shift), ring.exp(space - shift), ring.exp(letter - shift)
