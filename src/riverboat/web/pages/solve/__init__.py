"""Pages that solve games and walk through their solutions."""
