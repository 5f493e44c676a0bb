"""One report is made: executed, exported, handed back, here or on a worker."""
