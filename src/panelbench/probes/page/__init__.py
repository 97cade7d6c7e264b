"""The page of the probes: one section each, through the report's own renderer, theme and sections."""
