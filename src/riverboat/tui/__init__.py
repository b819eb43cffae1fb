"""Full-screen views in the terminal."""
