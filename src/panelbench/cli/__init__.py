"""The command line: one thin command a pipeline stage, readable errors, exit codes."""
