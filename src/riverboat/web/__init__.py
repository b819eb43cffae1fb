"""The pages: Riverboat in a browser. Background jobs and journals are shared by all of them."""
