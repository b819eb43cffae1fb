"""Pages: one router per page or group of pages; each shows what a function of the API returns."""
