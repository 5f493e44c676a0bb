"""The command `analysis`: one module per group of commands, each of which loads what it needs when it runs."""
