# Front door of the project: needs make and a Python, sets up the rest by itself. `make` alone prints help.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 3

# From here, not from the root of the machine: the path to here may hold spaces.
BIN := $(VENV)/bin
# Two stamps, because a change of pyproject.toml needs no new download.
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
LAB_CONFIG := $(VENV)/ipython-lab/profile_default/ipython_kernel_config.py
LAB_SETTINGS := $(VENV)/share/jupyter/lab/settings/overrides.json

# Where it is set, each test process rewrites each test's assertions anew, and each command compiles the package.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_NO_INPUT := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# A finished page is whole or not there: make has no reason to remove one when it is interrupted.
.PRECIOUS: reports/%.html
.PHONY: help reports watch test lab dev data record bench bench-import kills check describe refresh lint lock clean FORCE

help: ## this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z%.\/-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  PYTHON=python3.12 another interpreter for the set-up    JOBS=N notebooks at a time"

reports: $(READY) ## every report that is not up to date, and reports/index.html
	@$(BIN)/analysis reports --jobs $(JOBS)

reports/index.html: reports

reports/%.html: $(READY) FORCE ## one report, by the name of its run file
	@$(BIN)/analysis reports --jobs $(JOBS) $*

watch: $(READY) ## the reports as pages that follow each edit, on this machine; Ctrl-C ends it
	@exec $(BIN)/analysis reports --watch --jobs $(JOBS) $(ARGS)

test: $(READY) ## all tests, then every shipped notebook against its stored outputs
	@status=0; \
	$(BIN)/python -m pytest -n auto --dist worksteal tests || status=1; \
	ANALYSIS_OFFICIAL=shipped IPYTHONDIR='$(CURDIR)/$(VENV)/ipython-test' \
		$(BIN)/python -m pytest -p tests.stored_outputs --nbval --nbval-current-env -n auto --dist loadfile \
		$$(grep 'ipynb$$' tests/shipped.txt) || status=1; \
	exit $$status

# Trusted, or JupyterLab would show the words of a stored figure in its place until the notebook is run. In a container
# the user is often root, for whom Jupyter starts when told to alone.
lab: $(READY) $(LAB_CONFIG) $(LAB_SETTINGS) ## JupyterLab on the notebooks; edited modules are reloaded by themselves
	@$(BIN)/jupyter-trust notebooks/*.ipynb >/dev/null
	IPYTHONDIR='$(CURDIR)/$(VENV)/ipython-lab' $(BIN)/jupyter-lab \
		--ServerApp.root_dir='$(CURDIR)' --LabApp.default_url=/lab/tree/notebooks \
		--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate \
		--ContentsManager.pre_save_hook=analysis._build.stored_outputs.before_save \
		$(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

bench: $(READY) ## ways from notebooks to pages side by side, as ratios, and the importer; reports/bench.json
	@$(BIN)/python benchmarks/bench.py --jobs $(JOBS) $(ARGS)

dev: $(READY) ## git for people who edit: notebooks as words in diffs, merged by cells; style checks before each commit
	@$(BIN)/nbdime config-git --enable
	@git config --unset diff.jupyternotebook.command
	@git config diff.jupyternotebook.textconv "$(BIN)/analysis notebook words"
	@git config filter.jupyternotebook.clean "$(BIN)/analysis notebook stored"
	@git config merge.jupyternotebook.driver "$(BIN)/git-nbmergedriver merge %O %A %B %L %P"
	@$(BIN)/pre-commit install

check: $(READY) ## every table of data/ against its description
	@$(BIN)/analysis check

data: $(READY) ## rounds that are not shipped into data/official/, from FROM="PATH ..."
	@$(BIN)/analysis data $(FROM)

record: $(READY) ## the shipped record made again FROM="PATH ...", the files that data/README.md names
	@$(BIN)/analysis record $(FROM)

bench-import: $(READY) ## the part of bench that is the importer's
	@$(BIN)/python benchmarks/importers.py

kills: $(READY) ## builds killed at 100 random moments, and what they leave held to what it must be; half an hour
	@$(BIN)/python benchmarks/kills.py $(ARGS)

describe: $(READY) ## data/datapackage.json, data/README.md, and docs/api.md after an edit of a table or docstring
	@$(BIN)/analysis describe

refresh: $(READY) ## execute the notebooks in place, so that stored outputs match
	@$(BIN)/analysis refresh --jobs $(JOBS)

lint: $(READY) ## style of code and notebooks, faults of workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/zizmor --offline --quiet .github/workflows

lock: $(READY) ## requirements.lock after an edit of the dependencies
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --all-extras --no-emit-index-url \
		--custom-compile-command 'make lock' pyproject.toml -o requirements.lock

clean: ## remove what was generated, but not the environment
	rm -rf reports/*/ reports/*.html reports/*.json reports/.seconds.json reports/.failed reports/.pictures reports/.screenshots reports/.*.tmp
	rm -rf .cache .pytest_cache .ruff_cache .hypothesis
	find src tests notebooks -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf

# A moved or replaced interpreter leaves an environment that is there and doesn't run: make it anew.
ifneq ($(shell $(BIN)/python -c 'print(1)' 2>/dev/null),1)
.PHONY: $(LOCKED)
endif

$(LOCKED): requirements.lock
	@command -v $(PYTHON) >/dev/null || \
		{ echo "No $(PYTHON) here: Python 3.11 or newer is needed. Name one: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@echo "Setting up $(VENV) from requirements.lock: once, a minute or two"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install -qq --require-hashes --only-binary :all: -r requirements.lock
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

$(LAB_CONFIG): Makefile $(LOCKED)
	@mkdir -p $(@D)
	@printf '%s\n' 'c.InteractiveShellApp.extensions = ["autoreload"]' \
		'c.InteractiveShellApp.exec_lines = ["%autoreload 2"]' > $@

# Without it, JupyterLab asks each new browser whether to fetch its news, whatever LabApp.news_url is.
$(LAB_SETTINGS): Makefile $(LOCKED)
	@mkdir -p $(@D)
	@printf '%s\n' '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}' > $@
