"""Hold'em spots: a flop, turn or river with two ranges, solved exactly and read hand by hand."""
