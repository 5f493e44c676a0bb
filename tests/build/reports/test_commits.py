"""The commit on the page: the last that changed an input of the report, whatever was committed elsewhere."""

import os
import shutil
import subprocess

import pytest

from analysis._build.page.markup import Markup
from analysis._build.runs.commits import commit_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
WHO = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Repository:
    """A git working tree and the few commands that tests need."""

    def __init__(self, root):
        self.root = root
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments):
        """What a git command prints; none of the machine's own settings count."""
        environment = os.environ | WHO | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout.strip()

    def commit(self, message="more", **files):
        """Write files (`a__b` is a/b), commit everything and return the commit's id."""
        for name, content in files.items():
            path = self.root / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_the_newest_commit_of_several_files_counts_and_no_edit_elsewhere(repository):
    first = repository.commit(a="1", b="1")
    second = repository.commit(b="2")
    repository.commit(c="1")
    assert commit_of(["a"], repository.root) == {"id": first, "not_committed": []}
    assert commit_of(["b", "a"], repository.root) == {"id": second, "not_committed": []}


def test_a_branch_counts_as_its_merge_which_has_both_sides(repository):
    """The newest commit on either side alone would lack what the other side did."""
    repository.commit(a="1", b="1")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit(b="2")
    repository.git("checkout", "--quiet", "main")
    repository.commit(a="2")
    repository.git("merge", "--quiet", "--no-edit", "side")
    merge = repository.git("rev-parse", "HEAD")
    repository.commit(c="1")
    assert commit_of(["a", "b"], repository.root)["id"] == merge
    assert repository.git("show", f"{merge}:a") == repository.git("show", f"{merge}:b") == "2"


def test_what_is_not_committed_is_named(repository):
    first = repository.commit(a="1", b="1", gone="1")
    (repository.root / "gone").unlink()
    repository.commit()
    for name in ("a", "new", "gone"):
        (repository.root / name).write_text("3")
    (repository.root / "added").write_text("3")
    repository.git("add", "added")
    said = commit_of(["a", "added", "b", "gone", "new"], repository.root)
    assert said == {"id": first, "not_committed": ["a", "added", "gone", "new"]}
    assert commit_of(["new"], repository.root) == {"id": None, "not_committed": ["new"]}


def test_a_project_inside_another_repository_and_names_with_spaces_and_accents(repository):
    commit = repository.commit(**{"project__caf\u00e9 au lait": "1", "a": "1"})
    assert commit_of(["caf\u00e9 au lait"], repository.root / "project") == {"id": commit, "not_committed": []}


def test_without_a_repository_a_commit_or_git_there_is_nothing_to_say(tmp_path, monkeypatch):
    assert commit_of(["a"], tmp_path) is None
    repository = Repository(tmp_path)
    assert commit_of(["a"], tmp_path) is None
    repository.commit(a="1")
    assert commit_of(["a"], tmp_path) is not None
    monkeypatch.setenv("PATH", "")
    assert commit_of(["a"], tmp_path) is None


def test_the_page_names_the_commit_and_what_is_beside_it(project):
    assert "No commit has them" in Markup(project.page("apples")).text
    root = project.places.root
    repository = Repository(root)
    (root / ".gitignore").write_text("/reports/\n")
    first = repository.commit()
    second = repository.commit(notebooks__runs__apples_five="notebook: apples\n")  # No run file: another ending.
    assert project.build(force=True).status == 0
    before = project.tree()
    for report in ("apples", "apples_five"):
        assert project.record(report)["commit"] == {"id": first, "not_committed": []}
        assert f"Commit {first} is the last that changed one of them." in Markup(project.page(report)).text
    assert second not in project.page("apples")
    project.build(force=True)
    assert project.tree() == before

    (project.places.data / "apples.csv").write_text("basket,apples\n1,4\n")
    project.run_file("apples_five", "apples", apples=6)
    project.build()
    assert project.record("apples")["commit"] == {"id": first, "not_committed": ["data/apples.csv"]}
    beside = "what was not committed when the page was made: data/apples.csv, notebooks/runs/apples_five.yml."
    assert beside in Markup(project.page("apples_five")).text

    third = repository.commit()
    assert not project.build().built, "what is on the page is as true as before"
    project.build(force=True)
    assert project.record("apples_five")["commit"] == {"id": third, "not_committed": []}
