"""The course's game of twenty-one: rules, table, events, log, players."""
