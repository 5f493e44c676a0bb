"""What runs once a round: official results into tables, derived tables, and the judging of documents."""
