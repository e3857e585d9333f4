"""The optimum of softmax attention with learned pre-LN, or a bracket where letters bite.

With a = e^(s_# - s_s), alpha = <w, v_#> and A = <w, v_s> a layer counts to L without letters
if and only if (a, a alpha, A) lies inside the rounding polytope S_L. Write r = sqrt(d - 1),
K = 1 + r, X = B^2, P = (v_# + v_s)/2 and Q = (v_# - v_s)/2; then |P| + |Q| <= K B.

Geometry. With w along the first axis of a plane that holds all v_t,

    v_t = B (r N a_t + b),    |N| = 1 (Frobenius),    |b| = |a_t| = 1:

a_t is u_t/sqrt d, in the plane of the projections of e1 and e2 on the complement of the all-ones
vector, and the rows of r N B are r g_1 and r g_2 times the directions of these. Those meet at the
cosine -1/r^2, so the plane of the v_t is turned until the rows of N do, too; this is possible if
the ratio of the squared singular values of N is at most (d - 2)/d.

The letter-free optimum:

- Line (L <= 3, and L = 4 for d <= 9): N has rank one, everything is parallel to w, A = K X, and
  the score is K (alpha^2/A - alpha), which picks a point of the edge of S_L where y(k) = k + 1/2,
  k = floor((L-1)/2), and y(L) = L - 1/2. That nothing is better follows from
  score = |v_#|^2 + |Q|^2 - |P|^2 >= alpha^2/X + K (A - alpha) - K^2 X (theorem "line"), at L = 1
  from K X >= A* (theorem "value").
- Plane (otherwise): alpha = -1/2, A = A*, a = a*. With sp = (A + alpha)/2, sm = (A - alpha)/2
  and Y = B |Q| the largest X score is

      2 (Y^2 - sp sm + sqrt(U V)),   U = (K X - Y)^2 - sp^2,   V = Y^2 - sm^2,

  reached by B P = (sp, sqrt U) and B Q = (-sm, sqrt V); b is parallel to P, and the columns of N,
  parallel to P and Q, have the lengths cos h and sin h with sin^2 h = Y/(r X), while a_# and a_s
  are (cos h, +-sin h). The best Y is K X/(1 + kappa)^2 with kappa in (0, sqrt 2 - 1) and

      2 sqrt((sp + kappa sm)/(sp - kappa sm)) (sp - kappa (kappa^2 + 3 kappa + 1) sm)
          = kappa sqrt((kappa + 3)(1 + kappa)^3) sqrt(d) log(a)/K,

  X^2 = (1 + kappa)^3 (sp^2 - kappa^2 sm^2)/(K^2 kappa^2 (kappa + 3)). Theorem "tangent".

Letters: v_l is tied to the same N and b. With E = a/2 - a alpha and
F = a alpha + A (L - 1) - (L - 3/2)(a + L - 1) a letter of value alpha_l >= -1/2 and weight delta
spoils nothing if delta L (alpha_l - 1/2) <= E and delta (L - 3/2 - alpha_l) <= F. Both are
equalities at the corner delta = (E/L + F)/(L - 2). From d = 21 on (for longer L from smaller d on,
down to d = 14 at L = 10^6) some letter satisfies them at the letter-free optimum, and the bracket
closes. Elsewhere letters bite: the upper end is then the smallest X with a letter at the corner,
found numerically over the four numbers that fix N, b and a_s; the lower end remains that of the
letter-free optimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from countbounds.decimals import significant
from countbounds.kernel.claims import RejectedError
from countbounds.kernel.impossible import check_impossible, least_value, least_weight
from countbounds.kernel.possible import check_possible
from countbounds.layer import Parameters
from countbounds.optimum.rational import bracket, context, near, rational_root
from countbounds.optimum.result import Optimum, SearchFailedError
from countbounds.optimum.softmax import Point, real, zero_between
from countbounds.vectors import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "softmax-pre-ln-learned"

Pair = tuple[Any, Any]

# L = 4, d = 3: there a letter bites on a line. The best point of the edge of S_L, and a shape
# (as in `_measured`) near the best one, both found by an unstructured numerical search.
_WEIGHT_OF_FOUR = "2.04264062002"
_SHAPE_OF_FOUR = (-0.0095, -0.04, -0.0341, 0.0007)


def optimum(length: int, dim: int, digits: int) -> Optimum:
    """A bracket of B_min(L, d) with its witnesses; of relative width <= 10^-digits where exact.

    The regime is "exact" where both ends have one limit, as found, else "open"; the ends of an
    open bracket are given to no more digits than its width deserves.

    Args:
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        digits: from 1 to 1000.

    Raises:
        SearchFailedError: if no witnesses are accepted.
    """
    enough = 2 * len(str(length)) + 16
    found = _searched(length, dim, min(digits, enough))
    if digits > enough and found.regime == "exact":
        found = _searched(length, dim, digits)
    return found


def _searched(length: int, dim: int, digits: int) -> Optimum:
    """The bracket with both ends computed to so many digits."""
    cell = _Cell(context(digits + 5 * len(str(length)) + 40), length, dim)
    lower, witness = _lower(cell, digits)
    upper, parameters = _upper(cell, digits)
    narrow = (upper - lower) * 10**digits <= lower
    regime = "exact" if narrow and _closes(length, dim) else "open"
    return Optimum(lower, witness, upper, parameters, regime)


def _closes(length: int, dim: int) -> bool:
    """Whether a letter fits beside the letter-free optimum, with hardly any slack."""
    digits = 3 * len(str(length)) + 30
    cell = _Cell(context(digits + 5 * len(str(length)) + 40), length, dim)
    try:
        _, _, room, _ = _letter_free(cell, digits)
    except (ArithmeticError, SearchFailedError, ValueError):
        return False
    return bool(room > 0)


@dataclass(frozen=True)
class _Cell:
    """One (L, d), in an mpmath context.

    Attributes:
        work: the context.
        length: L.
        dim: d.
    """

    work: Any
    length: int
    dim: int

    @property
    def root(self) -> Any:
        """r = sqrt(d - 1)."""
        return self.work.sqrt(self.dim - 1)

    @property
    def reach(self) -> Any:
        """K = 1 + r."""
        return 1 + self.root

    def sqrt(self, x: Any) -> Any:
        """The square root.

        Raises:
            SearchFailedError: of a negative number.
        """
        if x < 0:
            raise SearchFailedError("the square root of a negative number")
        return self.work.sqrt(x)

    def score(self, weight: Any) -> Any:
        """The score difference sqrt(d) log(weight)."""
        return self.work.sqrt(self.dim) * self.work.log(weight)

    def edge(self, weight: Any) -> Point:
        """The point of S_L with the largest a alpha and, for it, the smallest A; a* is a vertex."""
        a = self.work.mpf(weight)
        rounded_down = (a - least_weight(self.length)) * self.length
        eta = min(rounded_down / (self.length - (self.length - 1) // 2), a)
        return Point(a, eta - a / 2, a + self.length - self.work.mpf(0.5) - eta / self.length)

    def vertex(self) -> Point:
        """a = a*, alpha = -1/2, A = A*."""
        return self.edge(least_weight(self.length))

    def missing(self, point: Point) -> Any:
        """The score that a needs, less that of a line with A = K X."""
        alpha = point.boundary / point.weight
        return self.score(point.weight) - self.reach * (alpha * alpha / point.space - alpha)

    @property
    def on_line(self) -> bool:
        """Whether the letter-free optimum is a line."""
        return self.length < 4 or (self.length == 4 and self.missing(self.vertex()) < 0)

    def line_weight(self, slack: Any) -> Any:
        """The a of the edge's point that, moved by the slack, is realised by a line."""
        least = max(self.work.mpf(least_weight(self.length)), self.work.mpf(0.5))
        return zero_between(
            self.work, lambda a: self.missing(self.edge(a).inside(slack)), least, least + 1
        )


# --- the lower end -----------------------------------------------------------------------


def _lower(cell: _Cell, digits: int) -> tuple[Fraction, dict[str, Any]]:
    """The largest bound that a theorem refutes, and the theorem.

    Raises:
        SearchFailedError: if none does.
    """
    for value, witness in _refutations(cell, digits):
        bound, _ = bracket(value, digits)
        if cell.length == 1:
            bound = _rational_at_one(cell.dim) or bound
        proof = witness(bound)
        try:
            check_impossible(NAME, cell.length, cell.dim, bound, proof)
        except RejectedError:
            continue
        return bound, proof
    raise SearchFailedError(f"{NAME}, L = {cell.length}, d = {cell.dim}: no lower end")


def _rational_at_one(dim: int) -> Fraction | None:
    """B_min(1) = 1/sqrt(2 (1 + sqrt(d - 1))) where it is rational; "value" then refutes it."""
    root = rational_root(Fraction(dim - 1), 2)
    return None if root is None else rational_root(1 / (2 * (1 + root)), 2)


def _refutations(
    cell: _Cell, digits: int
) -> Iterator[tuple[Any, Callable[[Fraction], dict[str, Any]]]]:
    """Numbers that bound B_min from below, with what refutes a bound below them; best first."""
    if not cell.on_line:
        square, _ = _best_square(cell, cell.vertex())
        yield cell.work.sqrt(square), lambda bound: _tangent(cell, bound, digits)
    elif cell.length > 1:
        point = cell.edge(cell.line_weight(0))
        yield cell.work.sqrt(point.space / cell.reach), lambda _: {"theorem": "line"}
    least = real(cell.work, least_value(cell.length))
    yield cell.work.sqrt(least / cell.reach), lambda _: {"theorem": "value"}


def _tangent(cell: _Cell, bound: Fraction, digits: int) -> dict[str, Any]:
    """The tangent at the cubic's local minimum."""
    x = real(cell.work, bound * bound)
    kx, xs = cell.reach * x, x * cell.score(least_weight(cell.length))
    sm = (real(cell.work, least_value(cell.length)) + 0.5) / 2
    c1, c2, c3 = -2 * kx * sm * sm, cell.work.mpf(0.25) - kx * kx - xs, 2 * kx
    at = (cell.work.sqrt(c2 * c2 - 3 * c1 * c3) - c2) / (3 * c3)
    return {"theorem": "tangent", "at": str(near(at, digits + len(str(cell.length)) + 10))}


# --- the upper end -----------------------------------------------------------------------


class _Layout(NamedTuple):
    """Where the vectors lie, in units of B (see the module's docstring).

    Attributes:
        square: X = B^2.
        rows: N.
        bias: b.
        boundary: a_#.
        space: a_s.
        letter: a_l.
    """

    square: Any
    rows: tuple[Pair, Pair]
    bias: Pair
    boundary: Pair
    space: Pair
    letter: Pair = (1, 0)


def _upper(cell: _Cell, digits: int) -> tuple[Fraction, Parameters]:
    """Parameters that count to L and a bound on their norms.

    Raises:
        SearchFailedError: if even the simple construction is not accepted.
    """
    try:
        layout = _laid_out(cell, digits)
        _, upper = bracket(cell.work.sqrt(layout.square), digits)
        places = digits + 3 * len(str(cell.length)) + 20
        return upper, _accepted(cell, upper, _realised(cell, layout, places))
    except (ArithmeticError, SearchFailedError, ValueError):
        return _simple(cell)


def _accepted(cell: _Cell, bound: Fraction, parameters: Parameters) -> Parameters:
    """The parameters, if the kernel accepts them.

    Raises:
        SearchFailedError: if not.
    """
    from countbounds.certificate import write_vectors

    try:
        check_possible(NAME, cell.length, cell.dim, bound, write_vectors(parameters))
    except RejectedError as error:
        raise SearchFailedError(f"{NAME}, L = {cell.length}, d = {cell.dim}: {error}") from error
    return parameters


def _laid_out(cell: _Cell, digits: int) -> _Layout:
    """The best layout known that rounds with a slack of relative order 10^-digits."""
    point, slack, room, layout = _letter_free(cell, digits)
    if room > 0:
        return layout
    if not cell.on_line:
        return _bitten(cell, point, slack, _shape(cell, layout), digits)
    if (cell.length, cell.dim) != (4, 3):
        raise SearchFailedError("no letter fits on the line")
    return _bitten(cell, cell.edge(_WEIGHT_OF_FOUR), slack, _SHAPE_OF_FOUR, digits)


def _letter_free(cell: _Cell, digits: int) -> tuple[Point, Any, Any, _Layout]:
    """The point of S_L, the slack, the room that the best letter has, and the layout with it."""
    slack = real(cell.work, least_value(cell.length)) / (50 * 10**digits)
    if cell.on_line:
        point = cell.edge(cell.line_weight(slack))
        layout = _line(cell, point.inside(slack))
    else:
        point = cell.vertex()
        layout = _plane(cell, point.inside(slack))
    room, letter = max(_letters(cell, layout, point))
    return point, slack, room, layout._replace(letter=letter)


def _line(cell: _Cell, point: Point) -> _Layout:
    """All on the first axis; a_# has the component that its value asks for."""
    zero, one = cell.work.mpf(0), cell.work.mpf(1)
    square = point.space / cell.reach
    cosine = (point.boundary / point.weight / square - 1) / cell.root
    boundary = (cosine, cell.sqrt(1 - cosine * cosine))
    return _Layout(square, ((one, zero), (zero, zero)), (one, zero), boundary, (one, zero))


def _best_square(cell: _Cell, point: Point) -> tuple[Any, Any]:
    """X of the plane at a point of S_L, and kappa."""
    alpha, target = point.boundary / point.weight, cell.score(point.weight) / cell.reach
    sp, sm = (point.space + alpha) / 2, (point.space - alpha) / 2

    def excess(kappa: Any) -> Any:
        factor = kappa * cell.work.sqrt((kappa + 3) * (1 + kappa) ** 3)
        ratio = cell.work.sqrt((sp + kappa * sm) / (sp - kappa * sm))
        return factor * target - 2 * ratio * (sp - kappa * (kappa * (kappa + 3) + 1) * sm)

    kappa = zero_between(cell.work, excess, cell.work.mpf(0.3), cell.work.sqrt(2) - 1)
    fourth = (1 + kappa) ** 3 * (sp * sp - (kappa * sm) ** 2) / (kappa + 3)
    return cell.sqrt(fourth) / (cell.reach * kappa), kappa


def _plane(cell: _Cell, point: Point) -> _Layout:
    """The letter-free optimum at a point of S_L."""
    square, kappa = _best_square(cell, point)
    alpha = point.boundary / point.weight
    sp, sm = (point.space + alpha) / 2, (point.space - alpha) / 2
    y = cell.reach * square / (1 + kappa) ** 2
    x = cell.reach * square - y
    p = (sp / x, cell.sqrt((x - sp) * (x + sp)) / x)
    q = (-sm / y, cell.sqrt((y - sm) * (y + sm)) / y)
    sine = cell.sqrt(y / (cell.root * square))
    cosine = cell.sqrt(1 - sine * sine)
    rows = ((cosine * p[0], sine * q[0]), (cosine * p[1], sine * q[1]))
    return _Layout(square, rows, p, (cosine, sine), (cosine, -sine))


# --- letters -----------------------------------------------------------------------------


def _limits(length: int, point: Point) -> Pair:
    """E and F: what a letter may add at n = 0 and take away at n = L - 1."""
    weight, boundary, space = point
    last = length - 1
    return (
        weight / 2 - boundary,
        boundary + space * last - (2 * length - 3) * (weight + last) / 2,
    )


def _corner(length: int, point: Point) -> Pair:
    """The weight and the value of the letter at the corner, L >= 3."""
    above, below = _limits(length, point)
    weight = (above / length + below) / (length - 2)
    return weight, above / (length * weight) + 0.5


def _letters(cell: _Cell, layout: _Layout, point: Point) -> Iterator[tuple[Any, Pair]]:
    """Letters of some values with the room that is left up to the largest score allowed."""
    above, below = _limits(cell.length, point)
    half = cell.work.mpf(0.5)
    values = [0 * half]
    if cell.length > 2:
        _, far = _corner(cell.length, point)
        values += [half + (far - half) * step / 4 for step in range(6)]
    for value in values:
        weights = [cell.work.mpf(1)] if cell.length == 1 else []
        if cell.length - 3 * half > value:
            weights.append(below / (cell.length - 3 * half - value))
        if value > half:
            weights.append(above / (cell.length * (value - half)))
        for side in (1, -1):
            letter = _token_of(cell, layout, value, side)
            yield cell.score(min(weights)) - _score(cell, layout, letter), letter


def _token_of(cell: _Cell, layout: _Layout, value: Any, side: int) -> Pair:
    """The a_t on one side of the first row of N with this read-out value."""
    x, y = layout.rows[0]
    length = cell.work.sqrt(x * x + y * y)
    cosine = (value / layout.square - layout.bias[0]) / (cell.root * length)
    sine = side * cell.sqrt(1 - cosine * cosine)
    return (cosine * x - sine * y) / length, (sine * x + cosine * y) / length


def _score(cell: _Cell, layout: _Layout, token: Pair) -> Any:
    """<v_#, v_t - v_s> for a token."""

    def seen(a: Pair) -> list[Any]:
        return [
            cell.root * (row[0] * a[0] + row[1] * a[1]) + shift
            for row, shift in zip(layout.rows, layout.bias, strict=True)
        ]

    (p, q), (x, y), (s, t) = seen(layout.boundary), seen(token), seen(layout.space)
    return layout.square * (p * (x - s) + q * (y - t))


# --- where letters bite ------------------------------------------------------------------


class _Numbers(NamedTuple):
    """What a shape is measured with, in floats or in a context.

    Attributes:
        sqrt: the square root.
        root: r.
        size: sqrt(A/K), about B.
        boundary: alpha.
        space: A.
        letter: alpha_l.
        score: sqrt(d) log a.
        light: sqrt(d) log delta.
    """

    sqrt: Callable[[Any], Any]
    root: Any
    size: Any
    boundary: Any
    space: Any
    letter: Any
    score: Any
    light: Any


class _Measured(NamedTuple):
    """A shape's layout, with everything in the first row exact.

    Attributes:
        loss: (K - A/X) A/K, which grows with X.
        boundary: the score of the boundary token less what a needs.
        letter: the score of the letter less what its weight allows.
        layout: with the values alpha, A and alpha_l.
    """

    loss: Any
    boundary: Any
    letter: Any
    layout: _Layout


def _measured(numbers: _Numbers, shape: Sequence[Any]) -> _Measured:
    """The layout N = ((rho, 0), (mu, nu)), b = (., beta), a_s = (., sigma).

    The shape is (mu, nu, beta, sigma) times the size, so that it stays bounded as L grows;
    K - A/X is added up from three small positive parts. The second component of a_# is
    positive, that of a_l negative.
    """
    r, sqrt = numbers.root, numbers.sqrt
    mu, nu, beta, sigma = (x / numbers.size for x in shape)
    rho, level, near_one = (sqrt(1 - t) for t in (mu * mu + nu * nu, beta * beta, sigma * sigma))
    loss = (
        r * (mu * mu + nu * nu) / (1 + rho)
        + r * rho * sigma * sigma / (1 + near_one)
        + beta * beta / (1 + level)
    )
    square = numbers.space / (1 + r - loss)

    def token(value: Any, side: int) -> Pair:
        cosine = (value / square - level) / (r * rho)
        return cosine, side * sqrt(1 - cosine * cosine)

    def height(a: Pair) -> Any:
        return r * (mu * a[0] + nu * a[1]) + beta

    boundary, letter = token(numbers.boundary, 1), token(numbers.letter, -1)
    space = (near_one, sigma)
    p, s, t = height(boundary), height(space), height(letter)
    along = numbers.boundary / square
    return _Measured(
        loss * numbers.size**2,
        along * (numbers.boundary - numbers.space) + square * p * (p - s) - numbers.score,
        along * (numbers.letter - numbers.space) + square * p * (t - s) - numbers.light,
        _Layout(square, ((rho, 0 * rho), (mu, nu)), (level, beta), boundary, space, letter),
    )


def _numbers(cell: _Cell, point: Point, slack: Any) -> _Numbers:
    """For the point moved by the slack, and the letter at the corner of the point itself."""
    inner = point.inside(slack)
    weight, value = _corner(cell.length, point)
    size = cell.work.sqrt(inner.space / cell.reach)
    alpha, score = inner.boundary / inner.weight, cell.score(inner.weight)
    light = cell.score(weight)
    return _Numbers(cell.sqrt, cell.root, size, alpha, inner.space, value, score, light)


def _shape(cell: _Cell, layout: _Layout) -> tuple[Any, ...]:
    """The shape (mu, nu, beta, sigma) of a layout, reflected where a_# lies on the other side."""
    (x, y), (z, t) = layout.rows
    rho = cell.work.sqrt(x * x + y * y)
    side = x * layout.boundary[1] - y * layout.boundary[0]
    sign = 1 if side > 0 else -1
    mu, nu = (x * z + y * t) / rho, sign * (x * t - y * z) / rho
    sigma = sign * (x * layout.space[1] - y * layout.space[0]) / rho
    size = cell.work.sqrt(layout.square)
    return tuple(size * part for part in (mu, nu, layout.bias[1], sigma))


def _bitten(cell: _Cell, point: Point, slack: Any, start: Sequence[Any], digits: int) -> _Layout:
    """The smallest X at which the point and a letter at the corner are reached."""
    numbers = _numbers(cell, point, slack)
    floats = _Numbers(math.sqrt, *(float(x) for x in numbers[1:]))

    def function(shape: NDArray[Any]) -> tuple[float, float, float]:
        loss, boundary, letter, _ = _measured(floats, [float(x) for x in shape])
        return loss, boundary, letter

    best, inverse = _least(function, [float(x) for x in start])
    shape = [cell.work.mpf(x) for x in best]
    # A relative error of a costs L times as much of the slack.
    close = cell.work.mpf(10) ** (-digits - len(str(cell.length)) - 10)
    for _ in range(cell.work.dps):
        found = _measured(numbers, shape)
        if max(abs(found.boundary), abs(found.letter)) < close:
            return found.layout
        for i, (p, q) in enumerate(inverse):
            shape[i] -= p * found.boundary + q * found.letter
    raise SearchFailedError("the corrections do not settle")


def _least(
    function: Callable[[NDArray[Any]], tuple[float, float, float]], start: Sequence[float]
) -> tuple[list[float], list[list[float]]]:
    """The point with the least first value where the other two vanish; floats.

    At the start the second vanishes and the first is least without the third, which is then
    lowered step by step: Newton's method for Lagrange's conditions.

    Returns:
        the point, and the pseudo-inverse of the derivatives of the two constraints there.

    Raises:
        SearchFailedError: if the derivatives are singular.
    """
    import numpy as np

    x = np.array(start)
    first = function(x)[2]
    multipliers, slope = np.zeros(2), np.zeros((3, 4))
    try:
        for step in (*range(9, -1, -1), 0, 0):
            for _ in range(3):
                value, slope, curve = _derivatives(function, x)
                hessian = curve[0] - multipliers[0] * curve[1] - multipliers[1] * curve[2]
                matrix = np.block([[hessian, -slope[1:].T], [slope[1:], np.zeros((2, 2))]])
                target = np.array([value[1], value[2] - first * step / 10])
                move = np.linalg.solve(matrix, -np.concatenate([slope[0], target]))
                x, multipliers = x + move[:4], move[4:]
    except np.linalg.LinAlgError as error:
        raise SearchFailedError("the derivatives are singular") from error
    return x.tolist(), np.linalg.pinv(slope[1:]).tolist()


def _derivatives(
    function: Callable[[NDArray[Any]], tuple[float, ...]], x: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Values, gradients and Hessians by central differences."""
    import numpy as np

    size, steps = len(x), 1e-4 * (1 + abs(x))
    moves = np.diag(steps)
    value = np.array(function(x))
    up = np.array([function(x + move) for move in moves])
    down = np.array([function(x - move) for move in moves])
    slope = ((up - down) / (2 * steps[:, None])).T
    curve = np.zeros((len(value), size, size))
    for i in range(size):
        curve[:, i, i] = (up[i] - 2 * value + down[i]) / steps[i] ** 2
        for j in range(i):
            both = np.array(function(x + moves[i] + moves[j]))
            neither = np.array(function(x - moves[i] - moves[j]))
            mixed = both - up[i] - up[j] + 2 * value - down[i] - down[j] + neither
            curve[:, i, j] = curve[:, j, i] = mixed / (2 * steps[i] * steps[j])
    return value, slope, curve


# --- parameters --------------------------------------------------------------------------


def _realised(cell: _Cell, layout: _Layout, places: int) -> Parameters:
    """Rational vectors of a layout, each entry to so many digits."""
    b = cell.work.sqrt(layout.square)
    cosine, sine = _turn(cell, layout)
    rows = _turned(cosine, sine, layout.rows[0], layout.rows[1])
    (shift,) = zip(*_turned(cosine, sine, layout.bias[:1], layout.bias[1:]), strict=True)
    lengths = [cell.work.sqrt(x * x + y * y) for x, y in rows]
    one = (rows[0][0] / lengths[0], rows[0][1] / lengths[0])
    two = (rows[1][0] / lengths[1], rows[1][1] / lengths[1]) if lengths[1] else _beside(cell, one)

    def vector(*entries: Any) -> Vector:
        return Vector.leading(cell.dim, *(near(x, places) if x else 0 for x in entries))

    def embedding(a: Pair) -> Vector:
        """An x with P x parallel to u, of norm B/2: (u_1, u_2) less the other entries of u."""
        first, second = a[0] * one[0] + a[1] * one[1], a[0] * two[0] + a[1] * two[1]
        rest = -(first + second) / (cell.dim - 2)
        x, y = first - rest, second - rest
        scale = b / (2 * cell.work.sqrt(x * x + y * y))
        return vector(scale * x, scale * y)

    return Parameters(
        boundary=embedding(layout.boundary),
        space=embedding(layout.space),
        letter=embedding(layout.letter),
        readout=vector(b * cosine, b * sine),
        gain=vector(b * lengths[0], b * lengths[1]),
        bias=vector(b * shift[0], b * shift[1]),
    )


def _turned(cosine: Any, sine: Any, first: Sequence[Any], second: Sequence[Any]) -> Any:
    """Both rows of a matrix after a rotation of the plane."""
    return (
        [cosine * x - sine * y for x, y in zip(first, second, strict=True)],
        [sine * x + cosine * y for x, y in zip(first, second, strict=True)],
    )


def _turn(cell: _Cell, layout: _Layout) -> Pair:
    """Cosine and sine of the rotation after which the rows of N meet at the cosine -1/r^2.

    The traceless part of N N^T turns at twice the angle; it has to point to (cos t, sin t)
    with sin t = -|det N|/(its length times sqrt(r^4 - 1)).
    """
    (x, y), (z, t) = layout.rows
    level, mixed = (x * x + y * y - z * z - t * t) / 2, x * z + y * t
    spread = cell.work.sqrt(level * level + mixed * mixed)
    level, mixed = level / spread, mixed / spread
    goal = -abs(x * t - y * z) / (spread * cell.work.sqrt(cell.dim * (cell.dim - 2)))
    other = cell.sqrt(1 - goal * goal)
    double, sine = other * level + goal * mixed, goal * level - other * mixed
    cosine = cell.sqrt((1 + double) / 2)
    return cosine, sine / (2 * cosine)


def _beside(cell: _Cell, one: Pair) -> Pair:
    """A direction at the cosine -1/r^2 from another."""
    cosine = -cell.work.mpf(1) / (cell.dim - 1)
    sine = cell.work.sqrt(1 - cosine * cosine)
    return cosine * one[0] - sine * one[1], sine * one[0] + cosine * one[1]


def _simple(cell: _Cell) -> tuple[Fraction, Parameters]:
    """The closed-form construction, for want of a better one.

    Raises:
        SearchFailedError: if the kernel does not accept it.
    """
    from countbounds.expressions import evaluate, rational
    from countbounds.rings import HighPrecision
    from countbounds.variants.softmax_pre_ln_learned import build, guaranteed_bound

    places = 5 * len(str(cell.length)) + 20
    ring = HighPrecision(2 * places)
    _, inner = bracket(evaluate(guaranteed_bound(cell.length, cell.dim), ring), 6)
    upper = significant(inner * (1 + Fraction(1, 10**8)), 12, up=True)
    exact = build(cell.length, cell.dim, inner).on(ring)
    vectors = {
        name: vector.map(lambda x: rational(near(x, places) if x else 0))
        for name, vector in exact.vectors().items()
    }
    return upper, _accepted(cell, upper, Parameters(**vectors))
