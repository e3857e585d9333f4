"""`python -m countbounds.kernel FILE...` checks certificates with nothing but this package."""

import sys

from countbounds.kernel import RejectedError, verify_file


def main(paths: list[str]) -> int:
    """Print VERIFIED or REJECTED for each file; 0 if all are verified, 1 if not, 2 misuse."""
    status = 0 if paths else 2
    for path in paths:
        try:
            said = f"VERIFIED {verify_file(path)}"
        except (RejectedError, ValueError, OSError) as error:
            said, status = f"REJECTED {error}", max(status, 1 + isinstance(error, OSError))
        print(said)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
