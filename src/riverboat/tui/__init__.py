"""Full-screen terminal views (Textual)."""
