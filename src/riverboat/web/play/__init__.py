"""Tables in the browser: against bots and with other people."""
