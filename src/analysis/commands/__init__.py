"""What `analysis plan` and `analysis measure` do: arguments to parameters, findings and tables to lines of text."""
