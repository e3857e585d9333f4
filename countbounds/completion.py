"""Scripts by which a shell completes the command line."""

from __future__ import annotations

import argparse

import shtab

from countbounds.figures.registry import FIGURES
from countbounds.variants import NAMES


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for one shell; it completes files, folders, variants and figures as such."""
    named = {("sweep", "variants"): ("all", *NAMES), ("figure", "name"): tuple(FIGURES)}
    (group,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    for command, its_parser in group.choices.items():
        for action in its_parser._actions:
            if action.metavar in ("FILE", "FOLDER"):
                kind = shtab.FILE if action.metavar == "FILE" else shtab.DIRECTORY
                action.complete = kind
            elif action.dest == "variant":
                action.choices = NAMES
            elif (command, action.dest) in named:
                action.choices = named[command, action.dest]
    return f"{shtab.complete(parser, shell).rstrip()}\n"
