"""One codec a wire format: bytes to messages and back, without sockets."""
