"""Lists of reports: the front page, and a sweep's page and table."""
