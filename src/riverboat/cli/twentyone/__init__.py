"""Commands of twenty-one."""
