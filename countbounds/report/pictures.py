"""Figures as SVG inside a page: no foreign addresses, no clashing names, colours of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from io import StringIO

from countbounds.figures.registry import FIGURES, Progress, data_of, draw

# What is exact, published or observed in each; a figure without an entry says what it shows.
CAPTIONS = {
    "representations": (
        "The published constructions (softmax, softmax-post-ln, softmax-post-ln-learned) and those "
        "derived here, each at the bound from which it is guaranteed; parameters are exact, the "
        "projection to a plane is for display."
    ),
    "bounds": (
        "Lines are exact: the upper ends of certified brackets of B_min, and the certified L_max "
        "(its lower end where the theory leaves a gap). "
        "Crosses are the published constructions' guarantees. Open circles were observed: lengths "
        "that the paper's training attained."
    ),
    "errors": (
        "Optimal parameters from the certified brackets, exact; their errors are evaluated with 80 "
        "digits at every count. Nothing here is published or observed."
    ),
    "cap": (
        "Exact: L_cap(d) is an integer in closed form, and no norms, however large, count further."
    ),
    "costs": (
        "Left, exact: upper ends of certified brackets of B_min. Right: certified lower ends of "
        "the smallest winning gap of the heads built here, every norm at most 1, on the whole "
        "domain."
    ),
    "storage": (
        "Bits of the read-out alone, at the smallest precision at which "
        "it and the next 16 decode every input, decided exactly; bounds as `storage` chooses them."
    ),
    "gaps": (
        "Gaps of the heads built here, computed by enclosures with 192 bits at the inputs that "
        "decide; drawn as floating-point numbers."
    ),
}
HEADINGS = {
    "representations": "Representations",
    "bounds": "Bounds and lengths",
    "errors": "Errors at the optimum",
    "cap": "The cap of bare pre-LN softmax",
    "costs": "Costs of the two read-outs",
    "storage": "Bits of the two read-outs",
    "gaps": "Winning gaps of the classes",
}
# What is drawn for white paper follows the colour scheme of the page (report.css).
_COLOURS = {
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#ededed": "var(--band)",
    "#4c4c4c": "currentColor",
    "#b0b0b0": "var(--soft)",
    "#8c8c8c": "var(--soft)",
    "#e69f00": "var(--line-orange)",
    "#0072b2": "var(--line-blue)",
    "#d55e00": "var(--line-vermillion)",
    "#cc79a7": "var(--line-purple)",
    "#009e73": "var(--line-green)",
    "#56b4e9": "var(--line-sky)",
}
# Pixels of the page for a point of the figure, at most: letters are then as large as the text.
_SCALE = 1.5


@dataclass(frozen=True)
class Picture:
    """A figure on the page.

    Attributes:
        name: as `countbounds figure` knows it.
        heading: the heading above it.
        caption: what in it is exact, published or observed.
        svg: the element.
    """

    name: str
    heading: str
    caption: str
    svg: str


def picture(name: str, progress: Progress) -> Picture:
    """Draw a figure of the registry for the page.

    Raises:
        InputError: if there is no such figure, or matplotlib is missing.
    """
    from matplotlib import rc_context

    rows = data_of(name, progress)
    caption = CAPTIONS.get(name, FIGURES[name].shows)
    drawn = StringIO()
    # Text stays text, in the page's own font, and names inside the picture are always the same.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        draw(name, rows).savefig(drawn, format="svg", metadata={"Date": None})
    shows = FIGURES[name].shows
    return Picture(
        name=name,
        heading=HEADINGS.get(name, name.capitalize()),
        caption=caption,
        svg=inlined(drawn.getvalue(), name, f"Figure: {shows}"),
    )


def inlined(svg: str, name: str, alt: str) -> str:
    """A stand-alone SVG as an element of a page.

    Args:
        svg: what matplotlib writes.
        name: goes before every name inside the picture, which is unique in the page then.
        alt: what the picture shows, in words.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    # A style sheet in an element would reach the whole page; report.css has the same for figures.
    body = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", body, flags=re.DOTALL)
    box = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', body)
    assert box is not None
    words = escape(alt)
    width = round(_SCALE * float(box[1]))
    opening = (
        f'<svg class="figure" role="img" aria-label="{words}" {box[0]} '
        f'style="max-width: {width}px">'
    )
    body = re.sub(r"<svg[^>]*>", f"{opening}\n<title>{words}</title>", body, count=1)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r'\b(?:xlink:)?href="#', f'href="#{name}-', body)
    body = body.replace("url(#", f"url(#{name}-")
    body = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", body)
    body = re.sub(r"#[0-9a-f]{6}\b", lambda found: _COLOURS.get(found[0], found[0]), body)
    return re.sub(r"\n\s*\n", "\n", body).strip()
