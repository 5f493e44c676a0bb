"""Which reports there are, what each was made from, whether that is still so, where its files lie."""
