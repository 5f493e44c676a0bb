"""Files that are cut off or overwritten in part, of each kind that an import reads: rows or a named reason."""

import random

import pytest

from analysis._import.official.configuration_facts import HEADER
from analysis._import.official.import_run import ImportFailed
from analysis.cli import main

RUN = "closed/Acme/results/acme/llama2-70b-99.9/Offline"
CONFIGURATION = "class H100x8(Base):\n    system = Known.H100x8\n    precision = 'fp8'\n    power_limit = 350\n"
FACTS = f"{','.join(HEADER)}\nv4.1,closed,Acme,closed/Acme/configs/bert/__init__.py,A,,,precision,'fp8'\n"
ENDPOINTS = '{"n_samples_issued": 8, "n_samples_completed": 8, "n_samples_failed": 0, "duration_ns": 4e9, "qps": 2.0}'


def damages(content):
    """The content cut off, and with bytes that are overwritten, the same in each run."""
    chance = random.Random(len(content))
    for _ in range(4):
        place = chance.randrange(len(content))
        yield content[:place]
        yield (
            content[:place]
            + chance.choice([b"\0", b"\xff", b"[" * 9999, b'"', b"-", b"9" * 5000])
            + content[place + 1 :]
        )


@pytest.mark.parametrize(
    "name",
    ["../summary.json", f"{RUN}/performance/run_1/mlperf_log_detail.txt", f"{RUN}/performance/run_1/spl.txt",
     f"{RUN}/accuracy/accuracy.txt", "closed/Acme/systems/acme.json", "closed/Acme/configs/llama2-70b/__init__.py",
     "closed/Acme/measurements/acme/llama2-70b-99.9/Offline/acme.json", "../facts.csv"],
)  # fmt: skip
def test_a_damaged_file_costs_no_more_than_what_it_says(tree, bring, name):
    tree.power(tree.run())
    tree.run("resnet50")
    tree.write(f"{RUN}/accuracy/accuracy.txt", "accuracy=75.9%")
    tree.write("closed/Acme/configs/llama2-70b/__init__.py", CONFIGURATION)
    paths = [tree.root, tree.write("../facts.csv", FACTS), tree.summary({}, {"ID": "v4.1-0008", "Platform": "b"})]
    whole = bring(*paths).rows
    damaged = tree.root / name
    for content in damages(damaged.read_bytes()):
        damaged.write_bytes(content)
        try:
            outcome = bring(*paths)
        except ImportFailed as error:
            assert "nothing to import" in str(error)
        else:
            assert outcome.problems or outcome.rows == whole


def test_a_damaged_log_of_endpoints_is_a_figure_or_named(tree, bring):
    path = tree.write(f"{RUN.replace('llama2-70b-99.9', 'resnet50')}/performance/result_summary.json", ENDPOINTS)
    assert [row["low"] for row in bring(tree.root).table] == ["2.0"]
    for content in damages(ENDPOINTS.encode()):
        path.write_bytes(content)
        try:
            assert float(bring(tree.root).table[0]["low"]) > 0
        except ImportFailed as error:
            assert "result_summary.json" in str(error)


def test_the_command_ends_with_1_where_anything_was_left_out_and_2_where_nothing_could_be_written(
    tree, tmp_path, capsys
):
    good = {"ID": "v4.1-0008", "Platform": "b"}
    out = tmp_path / "out.csv"
    assert main.main(["import", str(tree.summary({}, good)), "--out", str(out)]) == 0
    assert main.main(["import", str(tree.summary({"Nodes": "x"}, good)), "--out", str(out)]) == 1
    assert "left out" in capsys.readouterr().out and len(out.read_text().splitlines()) == 2
    before = out.read_bytes()
    assert main.main(["import", str(tree.summary({"Nodes": "x"})), "--out", str(out)]) != 0
    assert out.read_bytes() == before and not list(tmp_path.glob(".*"))
