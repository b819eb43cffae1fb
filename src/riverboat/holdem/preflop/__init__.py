"""Before the flop: all-in or fold, games of two with the flops that follow, books, ranges."""
