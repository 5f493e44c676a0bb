"""Import jsonschema, which nbformat uses to check notebooks, without checkers of formats that notebooks never have.

They take a second to import, most of it to compile the grammar of rfc3987_syntax. Other importers find them as before.
"""

import sys

CHECKERS = ("fqdn", "idna", "rfc3987", "rfc3986_validator", "rfc3987_syntax", "rfc3339_validator", "webcolors")
CHECKERS += ("jsonpointer", "uri_template", "isoduration")

hidden = {name: None for name in CHECKERS if name not in sys.modules}
sys.modules.update(hidden)
import jsonschema  # noqa: E402, F401

for name in hidden:
    del sys.modules[name]
