"""Ask the boat: a server of the Model Context Protocol, so that assistants get exact answers."""
