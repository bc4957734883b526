"""Settings: pydantic models, one module a phase, with defaults, checks and meanings; run sheets; studies."""
