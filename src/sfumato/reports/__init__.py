"""Reports: what came of a job, written for people and machines."""
