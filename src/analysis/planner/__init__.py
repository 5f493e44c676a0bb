"""Plan deployments: throughput at an interactivity, the accelerators for a number of users, and which to take."""
