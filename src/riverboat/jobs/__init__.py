"""Many cores and many machines: the same list of jobs here, in other processes or on Ray."""
