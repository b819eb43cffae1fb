"""Training with a memory: whom a browser trains, sittings with questions, links to drills."""
