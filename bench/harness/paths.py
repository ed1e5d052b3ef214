"""Paths of folders in the tree."""

import os

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCH)
WRK_SCRIPTS = os.path.join(BENCH, "wrk")
TEST = os.path.join(ROOT, "test")  # server.py, images.py and postgres.py are there
IMAGE_TEST = os.path.join(ROOT, "subprojects/panelimage/test")  # hostile.py is there
