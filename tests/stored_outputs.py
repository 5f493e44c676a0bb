"""nbval as a plugin of pytest at the price that builds pay for Jupyter's libraries: `-p tests.stored_outputs`."""

from analysis.engine.make import lean

lean.import_jupyter()
pytest_plugins = ["nbval.plugin"]
