"""How many accelerators a user's traffic needs: what is asked, what the record proves, sizes drawn, choices ranked."""
