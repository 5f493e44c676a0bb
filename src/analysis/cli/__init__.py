"""The command line: arguments in, one call into the package, lines of text and an exit status out."""
