"""`python -m countbounds` is the command line."""

import sys

from countbounds.cli import main

sys.exit(main())
