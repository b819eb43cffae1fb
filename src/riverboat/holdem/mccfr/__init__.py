"""Training hold'em by external-sampling MCCFR."""
