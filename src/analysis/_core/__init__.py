"""Values and words that are on no table: ranges, vocabularies, notes, findings, parameters, places."""
