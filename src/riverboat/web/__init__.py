"""The browser: pages that call the same rooms as the terminal and compute nothing themselves."""
