"""``python -m heapstory``."""

from __future__ import annotations

import sys

from heapstory.commands import main

sys.exit(main())
