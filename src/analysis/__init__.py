"""Reading AI inference benchmarks: tables in, comparable rows, themes, findings, reports out."""
