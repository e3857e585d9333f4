"""Headless Chromium and node, where they are installed."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 120


def in_browser(page: str, folder: Path, *options: str) -> Any:
    """What a page leaves as JSON in its element `probe`.

    Args:
        page: its text; a script in it makes the element.
        folder: where the page and the browser's profile go.
        options: of the browser, beside those that it needs to run unseen.
    """
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        pytest.skip("there is no Chromium")
    folder.mkdir()
    file = folder / "probe.html"
    file.write_text(page, encoding="utf-8")
    unseen = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    profile = f"--user-data-dir={folder / 'profile'}"
    done = subprocess.run(
        [browser, *unseen, profile, *options, "--dump-dom", file.as_uri()],
        capture_output=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=True,
    )
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stdout[:2000] + done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


def leave(value: str, where: str = "document") -> str:
    """A script that leaves the value of an expression as JSON, in its page or in one around it."""
    return (
        "<script>\n"
        f"const probe = {where}.createElement('pre');\nprobe.id = 'probe';\n"
        f"probe.textContent = JSON.stringify({value});\n{where}.body.append(probe);\n"
        "</script>"
    )


def in_node(script: str, folder: Path) -> Any:
    """What a script prints as JSON."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    folder.mkdir()
    file = folder / "script.js"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [node, str(file)], capture_output=True, encoding="utf-8", timeout=_SECONDS, check=True
    )
    return json.loads(done.stdout)
