"""Values and words that stand on no table: ranges, vocabularies, notes, findings, parameters, places."""
