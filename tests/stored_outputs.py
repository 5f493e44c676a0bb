"""nbval as a plugin of pytest at the price that builds pay for Jupyter's libraries: `-p tests.stored_outputs`."""

from analysis._build.make import light_import

light_import.import_jupyter()
pytest_plugins = ["nbval.plugin"]
