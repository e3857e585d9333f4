// The explorer of the report: closed forms in double precision, for display only.
//
// The formulas are those of countbounds/variants and countbounds/optimum; a test compares the
// numbers. The first half needs no page, so that it can be tested by itself.
"use strict";

const countbounds = (() => {
  const HALF_DIAGONAL = Math.SQRT1_2;
  const STEP = 2 - Math.SQRT2;
  // Beyond this length the four points are not searched: the theorems for all L give a bracket.
  const LONGEST_SEARCHED = 1e6;
  const LONGEST_FLOOR = 9;
  const NAMES = ["softmax", "softmax-post-ln", "softmax-post-ln-learned"];

  // --- the published constructions -----------------------------------------------------

  /** The numbers of softmax's construction at a bound: weight a, value c, and c^2 - a. */
  function weights(d, B) {
    const byNorm = B - HALF_DIAGONAL;
    const largestLog = (B * B) / (2 * Math.sqrt(d));
    if (byNorm <= 1) return { a: 1, c: B, excess: B * B - 1 };
    const root = largestLog < Math.log(byNorm) ? Math.exp(largestLog) : byNorm;
    const c = root + HALF_DIAGONAL;
    return { a: root * root, c, excess: HALF_DIAGONAL * (root + c) };
  }

  /** The radius c of the arc y = c n / sqrt(c^2 + n^2). */
  function radius(variant, d, B) {
    return variant === "softmax-post-ln" ? Math.sqrt(d) * B : Math.sqrt(d / 2) * B * B;
  }

  /** y(n, m) - n of the construction, without cancellation. */
  function error(variant, d, B, n, m) {
    if (variant === "softmax") {
      const { a, excess } = weights(d, B);
      return (n * (excess - n - m / a)) / (a + n + m / a);
    }
    const u = n / radius(variant, d, B);
    const stretch = Math.sqrt(1 + u * u);
    return (-n * u * u) / (stretch * (1 + stretch));
  }

  /** The input with the largest |y - n| on the whole domain, and that error. */
  function worst(variant, L, d, B) {
    const inputs = [[L, 0]];
    if (variant === "softmax") {
      const { a, c } = weights(d, B);
      // Along m = 0 and m = L - n the denominator is q0 + q1 n, and y' = 1 where its square is
      // c^2 q0.
      for (const [q0, q1, full] of [[a, 1, false], [a + L / a, 1 - 1 / a, true]]) {
        const n = Math.floor((c * Math.sqrt(q0) - q0) / q1);
        for (const near of [n, n + 1]) {
          if (near >= 0 && near <= L) inputs.push([near, full ? L - near : 0]);
        }
      }
    }
    const errors = inputs.map(([n, m]) => Math.abs(error(variant, d, B, n, m)));
    const place = errors.indexOf(Math.max(...errors));
    return { error: errors[place], n: inputs[place][0], m: inputs[place][1] };
  }

  /** The smallest bound at which the construction is guaranteed to count to L. */
  function guaranteed(variant, L, d) {
    if (variant === "softmax-post-ln") return Math.sqrt((L * L * L) / d);
    if (variant === "softmax-post-ln-learned") return ((2 * L * L * L) / d) ** 0.25;
    const score = Math.sqrt(2 * Math.sqrt(d) * Math.max(0, Math.log(STEP * L)));
    return Math.max(STEP * L + HALF_DIAGONAL, score);
  }

  // --- the smallest bound of any parameters --------------------------------------------

  const leastWeight = (L) => Math.floor(((L - 1) * (L - 1)) / 4);
  const leastValue = (L) => Math.floor(((L + 1) * (L + 1)) / 4) - 0.5;

  /** The zero between low and high of a function that changes sign there once. */
  function bisect(rising, low, high) {
    for (let round = 0; round < 200; round++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if (rising(middle) > 0) high = middle;
      else low = middle;
    }
    return (low + high) / 2;
  }

  function softmaxBound(L, d) {
    const known = (square, regime) => {
      const value = Math.sqrt(square);
      return { lower: value, upper: value, regime };
    };
    if (L === 1) return known(0.5, "value");
    if (L <= 3) {
      const excess = (weight) => {
        const alpha = L === 2 ? 0.5 : 1 - 1.5 / weight;
        const twice = weight + 3 * (L - 1);
        return Math.sqrt(d) * Math.log(weight) + alpha - (2 * alpha * alpha) / twice;
      };
      const weight = L === 2 ? bisect(excess, 0.5, 1) : bisect(excess, 1, 2);
      return known((weight + 3 * (L - 1)) / 2, "small score");
    }
    const value = leastValue(L);
    const score = Math.sqrt(d) * Math.log(leastWeight(L));
    if (score <= value + 0.5) return known(value, "value");
    const middle = score * score + (value + 0.5) * (value + 0.5);
    const root = Math.sqrt(middle * middle - 8 * value * score * score);
    return known((middle + root) / (4 * score), "score");
  }

  /** log of CR_t / CR_n at four points: positive where kappa and tau are impossible. */
  function imbalance(points, kappa, tau) {
    const [n0, n1, n2, n3] = points;
    const angle = (s) => Math.asin(Math.max(-1, Math.min(1, s / kappa)));
    const a = angle(n0 + 0.5 - tau);
    const b = angle(n1 - 0.5 - tau);
    const c = angle(n2 + 0.5 - tau);
    const e = angle(n3 - 0.5 - tau);
    // The cosines cancel in the cross-ratio of the tangents.
    const sines = (Math.sin(b - a) * Math.sin(e - c)) / (Math.sin(e - b) * Math.sin(c - a));
    return Math.log(sines) - Math.log(((n1 - n0) * (n3 - n2)) / ((n3 - n1) * (n2 - n0)));
  }

  /** The points (0, n1, n2, L) that fail most, by steps that shrink to one. */
  function worstPoints(start, kappa, tau) {
    const L = start[3];
    let best = start;
    let most = imbalance(best, kappa, tau);
    let step = 1;
    while (step < L / 8) step *= 2;
    for (; step >= 1; step /= 2) {
      for (let moved = true; moved; ) {
        moved = false;
        for (const [i, j] of [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]]) {
          const n1 = best[1] + i * step;
          const n2 = best[2] + j * step;
          if (n1 < 2 || n2 <= n1 || n2 > L - 2) continue;
          const value = imbalance([0, n1, n2, L], kappa, tau);
          if (value > most) {
            [best, most, moved] = [[0, n1, n2, L], value, true];
          }
        }
      }
    }
    return best;
  }

  /** The size (B, or B^2 if learned) at the optimum, by an exchange on four points. */
  function exchange(L, slope, mostOffset, floor) {
    const offset = (size) => Math.min(size, mostOffset);
    const fails = (points, size) => imbalance(points, slope * size, offset(size));
    if (L < 4) return { size: floor, points: null };
    let points = [0, Math.floor(L / 4) + 1, L - Math.floor(L / 4) - 1, L];
    if (L < 8) points = [0, 2, L - 2, L];
    let size = floor;
    for (let round = 0; round < 60; round++) {
      const moved = worstPoints(points, slope * size, offset(size));
      if (fails(moved, size) <= 0) return { size, points: size === floor ? null : points };
      let high = 2 * size;
      while (fails(moved, high) > 0) high *= 2;
      const larger = bisect((s) => -fails(moved, s), size, high);
      if (larger <= size * (1 + 1e-14)) return { size, points: moved };
      [points, size] = [moved, larger];
    }
    return { size, points };
  }

  /** kappa at tau = L/2 and its points, in closed form, for L >= 3. */
  function centred(L) {
    // v^2 ((L - 1)^2 - (v + 1)^2) / (4 (L^2 (v + 1)^2 - (L - 1)^2 v^2)), in lowest terms
    const p = (v) => (v * v * (L - v - 2)) / (4 * (L * (v + 1) + (L - 1) * v));
    const first = 2 - (L % 2);
    let [low, high] = [0, Math.floor((L - 2 - first) / 2)];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (p(first + 2 * middle + 2) <= p(first + 2 * middle)) high = middle;
      else low = middle + 1;
    }
    const v = first + 2 * low;
    return {
      kappa: (L - 1) * Math.sqrt(0.25 + p(v)),
      points: [0, (L - v) / 2, (L + v) / 2, L],
    };
  }

  function bareBound(L, d) {
    const slope = Math.sqrt(d);
    const known = (size, regime, points) => ({ lower: size, upper: size, regime, points });
    if (L <= LONGEST_FLOOR) return known((L - 0.5) / slope, "floor", null);
    if (L > LONGEST_SEARCHED) {
      return {
        lower: (L * Math.sqrt((L - 5) / 32)) / slope,
        upper: (L * Math.sqrt(Math.min(L, (L + 64) / 32))) / slope,
        regime: "bracket",
        points: null,
      };
    }
    const { size, points } = exchange(L, slope, 0, (L - 0.5) / slope);
    return known(size, points ? "free" : "floor", points);
  }

  function learnedBound(L, d) {
    const slope = Math.sqrt(d - 1);
    const known = (size, regime, points) => {
      const value = Math.sqrt(size);
      return { lower: value, upper: value, regime, points };
    };
    const floor = (L - 0.5) / (slope + 1);
    if (L > 2) {
      const { kappa, points } = centred(L);
      if (kappa / slope >= L / 2) return known(kappa / slope, "free", points);
      if (L > LONGEST_SEARCHED) {
        // Below: no offset needs less than tau = L/2 does. Above: an arc with tau = 0.
        const above = (L * Math.sqrt((L + 64) / 32)) / slope;
        return {
          lower: Math.sqrt(Math.max(kappa / slope, floor)),
          upper: Math.min(Math.sqrt(above), guaranteed("softmax-post-ln-learned", L, d)),
          regime: "bracket",
          points: null,
        };
      }
    }
    const { size, points } = exchange(L, slope, L / 2, floor);
    return known(size, points ? "offset" : "floor", points);
  }

  /** B_min(L, d): a lower and an upper end (equal where it is known), the regime, the points. */
  function smallest(variant, L, d) {
    if (variant === "softmax") return { ...softmaxBound(L, d), points: null };
    return variant === "softmax-post-ln" ? bareBound(L, d) : learnedBound(L, d);
  }

  /**
   * Which of the three it is; "close" and "open" where this page cannot tell. The worst error is
   * level with 1/2 if rounding could have moved it across.
   */
  function verdict(variant, L, d, B) {
    const bracket = smallest(variant, L, d);
    const most = worst(variant, L, d, B);
    const enough = guaranteed(variant, L, d);
    const near = 1e-14 * (L + 1);
    const level = Math.abs(most.error - 0.5) <= near;
    let answer = "open";
    if (B >= enough * (1 + 1e-14) || most.error < 0.5 - near) answer = "counts";
    else if (B < bracket.lower * (1 - 1e-9)) answer = "impossible";
    else if (level) answer = "close";
    else if (B > bracket.upper * (1 + 1e-9)) answer = "possible";
    else if (bracket.lower === bracket.upper) answer = "close";
    return { answer, bracket, worst: most, level, guaranteed: enough };
  }

  return { NAMES, error, guaranteed, smallest, verdict, worst };
})();

// --- the page ----------------------------------------------------------------------------

if (typeof document !== "undefined" && document.getElementById("explorer")) {
  const find = (id) => document.getElementById(id);
  const shown = (x, digits = 10) => String(Number(x.toPrecision(digits)));

  /** An error with as many digits as tell it from 1/2. */
  function shownError(error) {
    let digits = 10;
    while (digits < 17 && Number(error.toPrecision(digits)) === 0.5) digits++;
    return shown(error, digits);
  }

  /** The values of a slider: two significant digits each, so that every step is felt. */
  const stops = (low, high, whole) => {
    const found = [];
    for (let power = whole ? 0 : Math.floor(Math.log10(low)) - 1; 10 ** power <= high; power++) {
      for (let digits = power === 0 && whole ? 1 : 10; digits < 100; digits++) {
        const value = Number(`${digits}e${power}`);
        if (value >= low && value <= high) found.push(value);
      }
    }
    return found;
  };

  const CONTROLS = {
    L: { name: "length L", low: 1, high: 1e9, whole: true, stops: stops(1, 1e6, true) },
    d: { name: "dimension d", low: 3, high: 1e6, whole: true, stops: stops(3, 1e4, true) },
    B: { name: "bound B", low: 1e-3, high: 1e15, whole: false, stops: stops(0.1, 1e6, false) },
  };
  const state = { variant: "softmax-post-ln", L: 100, d: 16, B: 100 };
  // What is wrong with a field, in a sentence; the state keeps the last value that was right.
  const problems = {};

  const allowed = ({ low, high, whole }, value) =>
    Number.isFinite(value) && value >= low && value <= high && (!whole || Number.isInteger(value));

  /** Put a value into the slider and, unless it is being typed, into the number's field. */
  function place(key, typed) {
    const { stops: values } = CONTROLS[key];
    const range = find(`${key}-range`);
    let nearest = values.findIndex((value) => value >= state[key]);
    if (nearest < 0) nearest = values.length - 1;
    range.value = nearest;
    range.setAttribute("aria-valuetext", String(state[key]));
    if (!typed) find(`${key}-number`).value = String(state[key]);
  }

  function complain(key, wrong) {
    const { name, low, high, whole } = CONTROLS[key];
    find(`${key}-number`).setAttribute("aria-invalid", String(wrong));
    const kind = whole ? "an integer" : "a number";
    const limits = `${low.toLocaleString("en")} to ${high.toLocaleString("en")}`;
    problems[key] = wrong ? `The ${name} is ${kind} from ${limits}.` : "";
    find(`${key}-problem`).textContent = problems[key];
  }

  for (const key of Object.keys(CONTROLS)) {
    const control = CONTROLS[key];
    const [range, number] = [find(`${key}-range`), find(`${key}-number`)];
    range.max = control.stops.length - 1;
    range.addEventListener("input", () => {
      state[key] = control.stops[Number(range.value)];
      range.setAttribute("aria-valuetext", String(state[key]));
      number.value = String(state[key]);
      complain(key, false);
      update();
    });
    number.addEventListener("input", () => {
      const value = number.value.trim() === "" ? NaN : Number(number.value);
      const right = allowed(control, value);
      complain(key, !right);
      if (right) {
        state[key] = value;
        place(key, true);
      }
      update();
    });
    place(key, false);
  }
  find("variant").value = state.variant;
  find("variant").addEventListener("change", () => {
    state.variant = find("variant").value;
    update();
  });

  /** Set B, rounded up to twelve digits. */
  function setBound(value) {
    state.B = Math.min(1e15, Number((value * (1 + 5e-12)).toPrecision(12)));
    place("B", false);
    complain("B", false);
    update();
  }
  find("to-smallest").addEventListener("click", () => {
    setBound(countbounds.smallest(state.variant, state.L, state.d).upper * (1 + 1e-6));
  });
  find("to-guaranteed").addEventListener("click", () => {
    setBound(countbounds.guaranteed(state.variant, state.L, state.d));
  });

  const REGIMES = {
    value: "value regime: the read-out of a space must reach floor((L+1)²/4) − 1/2",
    score: "score regime: the attention scores are what the norms limit",
    "small score": "small-score regime: at L = 2 and 3 the scores must not be too large",
    floor: "floor: y(L) must get as far as L − 1/2",
    free: "free regime: the root of the cross-ratio at four points",
    offset: "offset regime: the root of the cross-ratio, with the offset at B²",
    bracket: "certified bounds for all L: the exact value is left to the command",
  };

  function words({ answer, bracket, worst, guaranteed }) {
    const { L, B } = state;
    const at = `an error of ${shownError(worst.error)} at n = ${worst.n}, m = ${worst.m}`;
    switch (answer) {
      case "counts":
        return [
          "Counts.",
          `The published construction at B = ${B} rounds every input up to L = ${L} ` +
            (B >= guaranteed
              ? "correctly, as its guarantee says."
              : "correctly, although its guarantee asks for more."),
        ];
      case "possible":
        return [
          "Possible, but this construction fails.",
          `Some parameters of norm at most ${B} count to L = ${L}; the published ` +
            `construction has ${at}.`,
        ];
      case "impossible":
        return [
          "Impossible.",
          `No parameters of norm at most ${B} count to L = ${L}: B_min is ` +
            `${bracket.lower === bracket.upper ? "" : "at least "}${shown(bracket.lower)}.`,
        ];
      case "close":
        return ["Too close to call here.", "Floating point does not tell; the command below does."];
      default:
        return [
          "Open on this page.",
          "The published construction fails, and B lies inside the bracket of B_min; the " +
            "command below decides.",
        ];
    }
  }

  function worstInWords({ answer, worst, level }) {
    const side = worst.error < 0.5 ? "(< 1/2)" : "(≥ 1/2)";
    const size = level ? "1/2 within rounding" : shownError(worst.error);
    const known = level ? (answer === "counts" ? "(< 1/2 by the guarantee)" : "") : side;
    return `${size} at n = ${worst.n}, m = ${worst.m} ${known}`.trim();
  }

  const FACTS = ["smallest", "regime", "guaranteed", "worst", "command"];

  /** Take away what was said of earlier values, and say what is wrong. */
  function withhold(wrong, waiting) {
    find("verdict").dataset.answer = "none";
    find("verdict-lead").textContent = "No verdict.";
    find("verdict-rest").textContent =
      ` ${wrong.join(" ")}` + (waiting ? " The buttons that set B wait for it." : "");
    for (const name of FACTS) find(`fact-${name}`).textContent = "-";
    const none = make("title", {}, "No curve, for a field is not right");
    find("plot").setAttribute("aria-label", none.textContent);
    find("plot").replaceChildren(none);
  }

  function update() {
    const wrong = Object.values(problems).filter(Boolean);
    const waiting = Boolean(problems.L || problems.d);
    for (const name of ["to-smallest", "to-guaranteed"]) find(name).disabled = waiting;
    if (wrong.length) {
      withhold(wrong, waiting);
      return;
    }
    const { variant, L, d, B } = state;
    const found = countbounds.verdict(variant, L, d, B);
    const { bracket, guaranteed } = found;
    const [lead, rest] = words(found);
    find("verdict").dataset.answer = found.answer;
    find("verdict-lead").textContent = lead;
    find("verdict-rest").textContent = ` ${rest}`;
    find("fact-smallest").textContent =
      bracket.lower === bracket.upper
        ? shown(bracket.lower)
        : `between ${shown(bracket.lower)} and ${shown(bracket.upper)}`;
    find("fact-regime").textContent =
      REGIMES[bracket.regime] + (bracket.points ? ` (${bracket.points.join(", ")})` : "");
    find("fact-guaranteed").textContent = `B ≥ ${shown(guaranteed, 15)}`;
    find("fact-worst").textContent = worstInWords(found);
    const at = `${variant} -L ${L} -d ${d}`;
    find("fact-command").textContent = `countbounds check ${at} -B ${B}\ncountbounds bmin ${at}`;
    find("letters-key").hidden = variant !== "softmax";
    draw(found);
  }

  // --- the curve ------------------------------------------------------------------------

  const make = (name, attributes, text) => {
    const made = document.createElementNS(find("plot").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  /** About four round numbers between two ends. */
  function ticks(low, high) {
    const rough = (high - low) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((digit) => digit * power >= rough * 0.999);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++) {
      found.push(Number((k * step).toPrecision(12)));
    }
    return found;
  }

  const brief = (x) =>
    (Math.abs(x) >= 1e5 ? x.toExponential().replace("e+", "e") : String(x)).replace("-", "−");

  function draw(found) {
    const { worst } = found;
    const { variant, L, d, B } = state;
    const plot = find("plot");
    const width = Math.max(240, Math.round(plot.getBoundingClientRect().width) || 640);
    const height = width < 480 ? 260 : 320;
    const [left, right, top, bottom] = [56, 12, 12, 44];
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.setAttribute("height", height);

    const counts = [...new Set(Array.from({ length: 301 }, (_, k) => Math.round((k * L) / 300)))];
    const lines = [{ full: false, name: "curve" }];
    if (variant === "softmax") lines.push({ full: true, name: "curve letters" });
    for (const line of lines) {
      line.values = counts.map((n) => countbounds.error(variant, d, B, n, line.full ? L - n : 0));
    }
    const all = lines.flatMap((line) => line.values);
    let [low, high] = [Math.min(-0.6, ...all), Math.max(0.6, ...all)];
    const margin = 0.04 * (high - low);
    [low, high] = [low - margin, high + margin];
    const x = (n) => left + (n / L) * (width - left - right);
    const y = (e) => top + ((high - e) / (high - low)) * (height - top - bottom);
    const at = (value) => value.toFixed(2);

    const drawn = [
      make(
        "title",
        {},
        `Error y(n, 0) − n of the published construction of ${variant} for n from 0 to ${L}, ` +
          `d = ${d}, B = ${B}; the worst error is ${worstInWords(found)}`,
      ),
      make("rect", {
        class: "band",
        x: left,
        y: at(y(0.5)),
        width: width - left - right,
        height: at(y(-0.5) - y(0.5)),
      }),
    ];
    for (const value of ticks(low, high)) {
      const level = at(y(value));
      drawn.push(make("line", { class: "grid", x1: left, x2: width - right, y1: level, y2: level }));
      drawn.push(
        make("text", { x: left - 6, y: level, dy: "0.35em", "text-anchor": "end" }, brief(value)),
      );
    }
    for (const n of ticks(0, L).filter(Number.isInteger)) {
      const end = n > 0.93 * L ? "end" : "middle";
      drawn.push(
        make("text", { x: at(x(n)), y: height - bottom + 18, "text-anchor": end }, brief(n)),
      );
    }
    drawn.push(
      make("line", { class: "axis", x1: left, x2: width - right, y1: at(y(0)), y2: at(y(0)) }),
    );
    for (const { name, values } of lines) {
      const path = values.map((e, k) => `${k ? "L" : "M"}${at(x(counts[k]))} ${at(y(e))}`).join("");
      drawn.push(make("path", { class: name, d: path }));
    }
    const sign = countbounds.error(variant, d, B, worst.n, worst.m) < 0 ? -1 : 1;
    drawn.push(
      make("circle", { class: "worst", cx: at(x(worst.n)), cy: at(y(sign * worst.error)), r: 4 }),
      make("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "n"),
      make("text", { x: 2, y: top + 4, class: "name" }, "y − n"),
    );
    plot.setAttribute("aria-label", drawn[0].textContent);
    plot.replaceChildren(...drawn);
  }

  let frame = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(update);
  });
  find("explorer").hidden = false;
  update();
}
