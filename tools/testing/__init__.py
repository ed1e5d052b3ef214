"""The parts of tools/run_tests.py."""
