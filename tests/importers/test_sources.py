"""What the paths of an import are: parts of trees, clones in a folder, archives; each once, and each named."""

import json
import zipfile

import pytest

from analysis._import.official.import_run import ImportFailed


def zipped(folder):
    """An archive of what lies beside a tree, with the tree as its top folder."""
    path = folder.parent / "tree.zip"
    with zipfile.ZipFile(path, "w") as out:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                out.write(file, file.relative_to(folder.parent))
    return path


@pytest.mark.parametrize("name", ["summary_results.json", "summary.json"])
@pytest.mark.parametrize("given", ["clone", "folder", "archive"])
def test_the_summary_of_a_clone_is_found_in_it_below_it_and_in_its_archive(tree, bring, tmp_path, name, given):
    tree.run()
    tree.write(name, json.dumps([tree.row, tree.row | {"ID": "v4.1-0008", "Platform": "b", "Location": "x"}]))
    path = {"clone": tree.root, "folder": tmp_path, "archive": zipped(tree.root)}[given]
    if given == "folder":
        (tmp_path / "tree.zip").unlink()
    outcome = bring(path)
    assert [(row["result_id"], row["recomputed"]) for row in outcome.table] == [
        ("4.1-0007", "24000.5"),
        ("4.1-0008", ""),
    ]
    assert outcome.status == 0


def test_a_summary_below_that_cannot_be_read_is_named(tree, bring):
    tree.run()
    tree.write("summary_results.json", '{"a": 1')
    path = zipped(tree.root)
    outcome = bring(path)
    assert (outcome.rows, outcome.status) == (1, 1)
    assert outcome.problems[0].place == f"{path}: {tree.root.name}/summary_results.json"


def test_rounds_side_by_side_in_a_folder_are_read_together(tree, bring, tmp_path):
    tree.run()
    tree.write("summary_results.json", json.dumps([tree.row]))
    other = tree.row | {"ID": "v5.1-0007", "version": "v5.1"}
    tree.write("../inference_results_v5.1/summary_results.json", json.dumps([other]))
    tree.write("../notes/summary.json", "no summary of a round")
    outcome = bring(tmp_path)
    assert {row["round"]: row["recomputed"] for row in outcome.table} == {"v4.1": "24000.5", "v5.1": ""}
    assert outcome.problems == []


@pytest.mark.parametrize("part", ["empty", "closed/Acme/systems"])
def test_a_folder_that_holds_nothing_says_what_is_expected(tree, bring, part):
    tree.run()
    (tree.root / "empty").mkdir()
    with pytest.raises(ImportFailed, match=r"holds nothing to import: expected .*run_1, .*summary.* or cm-result"):
        bring(tree.root / part)
    outcome = bring(tree.root / part, tree.root)
    assert (outcome.rows, [problem.place for problem in outcome.problems]) == (1, [str(tree.root / part)])


def test_what_is_given_twice_is_read_once(tree, bring, tmp_path):
    location = tree.run()
    summary = tree.write("summary_results.json", json.dumps([tree.row]))
    link = tmp_path / "link.json"
    link.symlink_to(summary)
    archive = zipped(tree.root)
    for paths in (
        [summary, summary, link],
        [summary, tree.root, tree.root / "closed", tree.root / location, tree.root],
        [tree.root, summary],
        [archive, archive],
        [tree.root / location, tree.root / location / "performance"],
    ):
        outcome = bring(*paths)
        assert (outcome.rows, outcome.problems) == (1, [])


def test_the_same_run_of_two_trees_is_named(tree, bring, tmp_path):
    location = tree.run()
    copy = tmp_path / "copy" / tree.root.name
    for file in [each for each in tree.root.rglob("*") if each.is_file()]:
        tree.write(str(copy / file.relative_to(tree.root)), file.read_bytes())
    for paths in ([tree.root, copy], [tree.summary(), tree.root, copy]):
        outcome = bring(*paths)
        assert outcome.rows == 1 and [problem.place for problem in outcome.problems] == [str(copy / location)]
        assert outcome.problems[0].reason == f"the same run is already read as {tree.root / location}"


def test_a_row_that_does_not_hold_to_the_table_is_named_with_its_file(tree, bring):
    tree.run()
    path = tree.summary({}, {"Category": "ajar", "ID": "v4.1-0008"}, {})
    outcome = bring(path, tree.root)
    told = [str(problem) for problem in outcome.problems]
    assert told[0].startswith(f"{path}: row 2: result 4.1-0008: division 'ajar' is not one of")
    assert told[1].startswith(f"{path}: row 3: result 4.1-0007: the key")
    assert f"first in {path}: row 1, {tree.root}" in told[1]


def test_a_file_of_an_archive_is_named_as_its_member(tree, bring):
    sound, broken = tree.run(), tree.run("gptj-99", log=tree.log_text(result_validity="INVALID"))
    path = zipped(tree.root)
    outcome = bring(path)
    assert outcome.table[0]["location"] == sound
    assert [problem.place for problem in outcome.problems] == [f"{path}: {tree.root.name}/{broken}"]
