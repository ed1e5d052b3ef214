"""Where things are in the tree."""

import os
import sys

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCH)
WRK_SCRIPTS = os.path.join(BENCH, "wrk")

if os.path.join(ROOT, "test") not in sys.path:
    sys.path.append(os.path.join(ROOT, "test"))
