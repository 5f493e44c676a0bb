"""Jupyter's libraries for the tests of what drives them, imported at the price that builds pay."""

from analysis.engine.make import lean

lean.import_jupyter()
