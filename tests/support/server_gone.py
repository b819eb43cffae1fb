"""What a page's console says of a server that was killed: to be forgiven by tests that do it."""

SERVER_GONE = (
    "ERR_CONNECTION_REFUSED",
    "ERR_CONTENT_LENGTH_MISMATCH",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY",
    "ERR_INCOMPLETE",
    "htmx:sendError",
)
"""The news and what was just asked for end with it; what is asked for later is refused."""
