"""The report: one HTML page whose first screen gives the answer, rendered from `reports/benchmark.qmd`."""
