"""Run experiments: fit, predict and record each seed in a process of its own."""
