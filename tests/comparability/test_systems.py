"""The key of a submitted system: from the result id, the folder, the row's id, never empty and never shared."""

import pytest

from analysis.comparability import systems

PLACE = "closed/Acme/results/box/llm-99.9"


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"result_id": "4.1-0001", "location": f"{PLACE}/Offline"}, "v4.1 4.1-0001"),
        ({"location": f"{PLACE}/Offline"}, "v4.1 closed/acme/results/box"),
        ({"location": f"{PLACE.upper()}/server/", "scenario": "Server"}, "v4.1 closed/acme/results/box"),
        ({"id": "o-4.1-closed-acme-box-llm-99.9-offline", "model_run": "llm-99.9"}, "v4.1 o-4.1-closed-acme-box"),
        ({"id": "o-6.1-a-llm-server", "model_run": "llm", "round": "v6.1", "scenario": "Server"}, "v6.1 o-6.1-a"),
        ({"origin": "published", "source_id": "doc000", "result_id": "4.1-0001"}, "of doc000"),
    ],
)
def test_key_of_a_row(results, row, key):
    beside = {name: row.pop(name) for name in ("location", "model_run") if name in row}
    assert systems.keys(results(row).assign(**beside)).tolist() == [key]
