"""Which result rows are comparable, at which rate, and what each must still say."""
