"""Measurements of this machine: `make bench`, or `python -m benchmarks.<name> --help`.

None of them is a test: seconds differ from machine to machine, so ratios are formed within one run.
"""
