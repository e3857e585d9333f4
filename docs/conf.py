"""The documentation as a site, built by `make docs`; nothing in it needs a network."""

from __future__ import annotations

import argparse
import logging as plain_logging
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

import countbounds
from countbounds.cli import _parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

HERE = Path(__file__).resolve().parent
PUBLIC = {getattr(countbounds, name).__module__ + "." + name: name for name in countbounds._HOME}

project = "countbounds"
author = "The countbounds developers"
project_copyright = author
version = release = countbounds.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
nitpicky = True
default_role = "literal"
highlight_language = "text"

html_theme = "furo"
html_title = f"countbounds {version}"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_show_copyright = False
html_copy_source = False
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_output_stderr = "remove"  # matplotlib says there that it builds its list of fonts
# The kernel of the notebook is the one described here, which speaks only of errors.
os.environ["JUPYTER_PATH"] = str(HERE / "jupyter")
# Among the styles is a library that lets every logger print what it has to inform about.
plain_logging.getLogger("traitlets").setLevel(plain_logging.WARNING)

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}
napoleon_use_rtype = False
# What other libraries and the rooms behind the public names are called has no page here.
nitpick_ignore_regex = [("py:.*", r"(?!countbounds\.[A-Za-z_]+$).*")]


# --- pages that are written, in part, while the site is built --------------------------------


def _complete(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put in what a page on GitHub does without."""
    if docname == "theorems/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    if docname == "reference/cli":
        source[0] += "\n" + "\n".join(_commands())


def _commands() -> Iterator[str]:
    """Every command with its examples and its own help, as Markdown."""
    os.environ["COLUMNS"] = "96"
    whole = _parser()
    (group,) = (each for each in whole._actions if isinstance(each, argparse._SubParsersAction))
    for name, parser in {"countbounds": whole, **group.choices}.items():
        words, _, examples = (parser.epilog or "").partition("examples:\n")
        yield from (f"## {name}", "", parser.description or "", "")
        if examples:
            yield from ("```console", *(f"$ {line.strip()}" for line in examples.splitlines()))
            yield from ("```", "")
        parser.description = parser.epilog = None
        yield from ("```text", parser.format_help().rstrip(), "```", "", words, "")


def _escape(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Docstrings are plain text: a bar is an absolute value, a star a product."""
    examples = False
    for at, line in enumerate(lines):
        examples = line.startswith(">>>") or (examples and bool(line))
        if not examples:
            parts = line.split("`")
            parts[::2] = [re.sub(r"([|*\\])", r"\\\1", part) for part in parts[::2]]
            lines[at] = "`".join(parts)


def _offer(app: Sphinx, page: nodes.document) -> None:
    """Offer the notebook, as it was run, below its title; a role would stand in it as text."""
    if app.env.docname == "notebook":
        run = Path(app.env.mystnb_config.output_folder) / "notebook.ipynb"
        file = addnodes.download_reference("", "", reftarget=f"/{os.path.relpath(run, HERE)}")
        file += nodes.Text("Download it for Jupyter, as it was run")
        title = next(page.findall(nodes.title))
        title.parent.insert(title.parent.index(title) + 1, nodes.paragraph("", "", file))


# --- links -----------------------------------------------------------------------------------


class FilesOfTheRepository(SphinxTransform):
    """A link to a file outside these pages gives the file itself."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Turn links whose target leaves the folder of the pages into downloads."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            # MyST takes the suffix off, as for a page; a path from the root begins at HERE.
            target = Path(f"{link['reftarget']}.md")
            if link.get("reftype") == "myst" and target.is_absolute() and target.is_file():
                name = f"/{os.path.relpath(target, HERE)}"
                file = addnodes.download_reference("", "", reftarget=name)
                file += link.children
                link.replace_self(file)


def _public(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.reference | None:
    """A public name stands where it is exported, not where it is defined."""
    name = PUBLIC.get(node.get("reftarget", ""))
    if name is None or node.get("refdomain") != "py":
        return None
    return make_refnode(
        app.builder, node["refdoc"], "reference/api", f"countbounds.{name}", content
    )


# --- formulas --------------------------------------------------------------------------------


def _mathml(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """A formula as MathML, which browsers show without scripts or fonts."""
    text = re.sub(r"\\?#", r"\\text{#}", node.astext())
    try:
        written = tex2mathml(text, as_block=isinstance(node, nodes.math_block))
    except MathError as error:
        logger.warning("%s in the formula %s", error, text, location=node)
        written = ""
    translator.body.append(written)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about all of this."""
    app.connect("source-read", _complete)
    app.connect("autodoc-process-docstring", _escape, priority=400)
    app.connect("doctree-read", _offer, priority=400)  # before downloads are collected
    app.connect("missing-reference", _public)
    app.add_transform(FilesOfTheRepository)
    app.add_html_math_renderer("mathml", (_mathml, None), (_mathml, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
