"""The course's twenty-one: rules, exact optimum, learners, table, wire and tournament."""
