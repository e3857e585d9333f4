"""The errors a caller can meet, each a sentence that says what to do."""

from __future__ import annotations


class CountboundsError(Exception):
    """Base class of every error this package raises on purpose."""


class InputError(CountboundsError, ValueError):
    """The call is wrong: the message says what was given and what would be right."""


class Unfinished(CountboundsError):
    """Long work ended before it was done; what was finished is kept, and can be gone on from."""


class NotExact(CountboundsError):
    """A value lies outside the exact numbers of `countbounds.exact`.

    Not a failure: the caller falls back on enclosures.
    """


class Undecided(CountboundsError):
    """A question stayed open at the working precision; more bits may settle it."""
