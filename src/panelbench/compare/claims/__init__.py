"""The claims ledger: published statements as data, each measured and judged by a rule of its kind."""
