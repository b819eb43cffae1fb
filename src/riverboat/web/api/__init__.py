"""The JSON API: one router per product, with typed questions and answers, documented at /api."""
