"""Which results are official: by the folder or the remote of a round's repository, or what the user says."""

import shutil
import time
from pathlib import Path

import pytest

from analysis.recipes.official.sources import read_results
from tests.recipes.official.test_results_table import V60

SHARED = Path(__file__).parents[4] / "shared" / "cases"
CODE = "https://github.com/mlcommons/inference_results_v9.9/tree/main/closed/Acme/code"
OTHER = CODE.replace("v9.9", "v9.8")
HOME, TRIAL = "inference_results_v9.9", "its folder is that of trial submissions"
REMOTE = '[remote "origin"]\n\turl = https://github.com/{}/inference_results_v9.9.git\n'
ONLY_LINKS = "only its links say that it is an official result"


@pytest.mark.parametrize(
    ("folder", "remote", "link", "origin", "doubt"),
    [
        ("downloads", "", CODE, "", ONLY_LINKS),
        ("downloads", "", None, "", ONLY_LINKS),
        (HOME, "", CODE, "official", ""),
        (f"{HOME}-main", "", None, "official", ""),
        ("clone", "mlcommons", None, "official", ""),
        ("clone", "acme", CODE, "", ONLY_LINKS),
        (HOME, "", OTHER, "", "links to v9.8, but says v9.9"),
        ("inference_results_v9.8", "", CODE, "", "is from a different round than its folder, v9.8"),
        ("mlperf_inference_unofficial_submissions_v9.9", "", CODE, "", TRIAL),
        (f"mlperf_inference_test_submissions_v9.9/{HOME}", "", CODE, "", TRIAL),
        ("submissions_inference_9.9", "", CODE, "", TRIAL),
    ],
)
def test_a_summary_is_official_by_where_it_lies_alone(tree, folder, remote, link, origin, doubt):
    place = tree.root.parent / folder
    place.mkdir(parents=True, exist_ok=True)
    path = shutil.move(tree.summary(Code=link, Details=link), place / "summary_results.json")
    if remote:
        (place / ".git").mkdir()
        (place / ".git" / "config").write_text(REMOTE.format(remote))
    (result,) = read_results([path], "", "")
    assert result["origin"] == origin and (origin or result["doubt"].startswith(f"{doubt}; if it is, use --origin"))
    for said in ("official", "measured"):
        assert read_results([path], "", said)[0]["origin"] == said


@pytest.mark.parametrize(
    ("folder", "code", "origin", "doubt"),
    [
        ("downloads", CODE, "official", ""),
        ("downloads", OTHER, "", "links to v9.8, but says v9.9"),
        ("downloads", "", "", ONLY_LINKS),
        ("unofficial_v9.9", CODE, "", TRIAL),
    ],
)
def test_a_results_table_is_official_by_its_links_too(tmp_path, folder, code, origin, doubt):
    path = tmp_path / folder / "table.csv"
    path.parent.mkdir()
    path.write_text(V60.replace(CODE.replace("Acme", "ACME"), code))
    result = read_results([path], "", "")[0]
    assert result["origin"] == origin and (origin or result["doubt"].startswith(doubt))


def test_a_round_is_that_of_the_result_of_its_folder_or_as_said(tree):
    for version, folder, round in (("8.1", "a", "v8.1"), (None, "inference_results_v9.8", "v9.8"), (None, "a", "v7.0")):
        place = tree.root.parent / folder
        place.mkdir(exist_ok=True)
        path = shutil.move(tree.summary(version=version), place / "summary_results.json")
        assert read_results([path], "v7.0", "")[0]["round"] == round


def test_a_git_configuration_of_any_size_is_read_in_no_time(tree):
    with tree.write(".git/config", "").open("rb+") as file:
        file.truncate(1 << 34)
    started = time.process_time()
    assert len(read_results([tree.summary()], "", "")) == 1 and time.process_time() - started < 3


def test_the_public_case_of_a_trial_is_refused_and_the_record_stays(bring, tmp_path):
    file = next(iter(SHARED.glob("01-*/*/summary_results.json")), None)
    if file is None:
        pytest.skip("the public cases are not at hand")
    elsewhere = tmp_path / "inference_results_v5.0" / "summary_results.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(file.read_text().replace("submissions_inference_4.1", "inference_results_v5.0"))
    rows = bring(file, elsewhere)
    assert rows.empty and "use --origin official, else --origin measured" in rows.attrs["said"]
    assert (
        "Example Lab, trialbox, 812.5 samples/s, but the record's o-5.0-0007-retinanet-offline is" in rows.attrs["said"]
    )
