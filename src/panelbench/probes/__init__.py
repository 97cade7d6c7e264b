"""Probes: small seeded experiments on made-up data, each asking one thing that is said of these models.

They stand beside the benchmark: `make probes` runs them and writes reports/probes.html (docs/probes.md).
"""
