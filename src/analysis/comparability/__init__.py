"""Which result rows may stand side by side, at which rate, and what each must still say."""
