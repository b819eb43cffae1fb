"""Many cores and many machines: the same list of jobs here, in other processes or on Ray."""

DOORS = (
    "crews",
    "holdem_measure",
    "holdem_report",
    "holdem_report_reading",
    "holdem_training",
    "job_list",
    "ray_crew",
    "simulations",
)
