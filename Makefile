# Front door of the project: needs make and a Python, sets up the rest by itself. `make` alone prints help.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# From here and as modules: the path to here may hold spaces and quotes, and scripts of .venv name where it was made.
PY := $(VENV)/bin/python
RUN := $(PY) -m
ANALYSIS := $(RUN) analysis.cli.main
# Two stamps, because a change of pyproject.toml needs no new download.
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready

# Where it is set, each process compiles the package and rewrites each test's assertions anew.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_NO_INPUT := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# A finished page is whole or not there: make has no reason to remove one when it is interrupted.
.PRECIOUS: reports/%.html
.PHONY: help reports watch test lab dev data check describe refresh lint lock bench clean FORCE

help: ## this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z%.\/-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  PYTHON=python3.12 another interpreter for the set-up    JOBS=N notebooks at a time"

reports: $(READY) ## every report that is not up to date, and reports/index.html
	@$(ANALYSIS) reports --jobs $(JOBS) $(ARGS)

reports/index.html: reports

reports/%.html: $(READY) FORCE ## one report, by the name of its notebook or run file
	@$(ANALYSIS) reports --jobs $(JOBS) '$*'

watch: $(READY) ## the reports as pages that follow each edit, on this machine; Ctrl-C ends it
	@exec $(ANALYSIS) reports --watch --jobs $(JOBS) $(ARGS)

# Each shipped notebook is run by a real kernel. A user's own imports must not change what is compared.
test: $(READY) ## the tests but the slow ones, then every notebook in git against its stored outputs
	@status=0; export ANALYSIS_RECORD=shipped; \
	$(RUN) pytest -p no:nbval -n auto --dist worksteal tests || status=1; \
	$(RUN) pytest -p analysis.pages.schema --nbval --nbval-current-env -n auto --dist loadfile \
		$$(git ls-files 'notebooks/*.ipynb' 2>/dev/null | grep -v '/_' || ls notebooks/[!_]*.ipynb) || status=1; \
	[ $$status = 0 ] || echo "Notebooks edited? Tests read their stored outputs: run 'make refresh' first." >&2; \
	exit $$status

# Trusted, or JupyterLab would show the words of a stored figure in its place. In a container the user is often root.
# Its kernel says of itself what notebooks store, or JupyterLab would take one that was only opened for changed.
# JupyterLab cuts a drawing that is wider than the page, unless a style sheet says otherwise.
lab: $(READY) ## JupyterLab on the notebooks; edited modules are reloaded by themselves
	@mkdir -p $(VENV)/ipython-lab/profile_default
	@printf '%s\n' 'c.InteractiveShellApp.extensions = ["autoreload"]' \
		'c.InteractiveShellApp.exec_lines = ["%autoreload 2"]' \
		'from ipykernel.ipkernel import IPythonKernel' 'IPythonKernel.language_info = {"name": "python"}' \
		> $(VENV)/ipython-lab/profile_default/ipython_kernel_config.py
	@mkdir -p $(VENV)/share/jupyter/kernels/python3 $(VENV)/share/jupyter/lab/settings
	@printf '%s\n' '{"argv": ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],' \
		'"display_name": "Python 3", "language": "python", "metadata": {"debugger": true}}' \
		> $(VENV)/share/jupyter/kernels/python3/kernel.json
	@printf '%s\n' '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}' \
		> $(VENV)/share/jupyter/lab/settings/overrides.json
	@mkdir -p $(VENV)/ipython-lab/custom
	@printf '%s\n' '.jp-RenderedSVG img { max-width: 100%; height: auto; }' > $(VENV)/ipython-lab/custom/custom.css
	@$(RUN) nbformat.sign notebooks/*.ipynb >/dev/null
	IPYTHONDIR="$$(pwd -P)/$(VENV)/ipython-lab" $(RUN) jupyterlab \
		--ServerApp.root_dir="$$(pwd -P)" --LabApp.default_url=/lab/tree/notebooks \
		--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate \
		--LabApp.custom_css=True --ServerApp.tornado_settings="{'static_custom_path': ['$(VENV)/ipython-lab/custom']}" \
		--ContentsManager.pre_save_hook=analysis.pages.refresh.before_save \
		$(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

# Commands by their modules, which need no PATH that leads to .venv.
dev: $(READY) ## git for people who edit: notebooks compared and merged by cells, style checks before each commit
	@$(RUN) nbdime config-git --enable
	@git config diff.jupyternotebook.command '$(RUN) nbdime.vcs.git.diffdriver diff'
	@git config merge.jupyternotebook.driver '$(RUN) nbdime.vcs.git.mergedriver merge %O %A %B %L %P'
	@git config filter.notebook.clean '$(RUN) analysis.pages.refresh %f'
	@$(RUN) pre_commit install

data: $(READY) ## the derived tables of data/ anew; with FROM="PATH ..." a new round into data/official/
	@$(ANALYSIS) data $(FROM) $(ARGS)

check: $(READY) ## every table of data/ against its description
	@$(ANALYSIS) check

describe: $(READY) ## data/datapackage.json and data/README.md after an edit of a table
	@$(ANALYSIS) describe

refresh: $(READY) ## execute the notebooks in place, so that stored outputs match
	@$(ANALYSIS) refresh --jobs $(JOBS)

lint: $(READY) ## style of code and notebooks, which layer imports which, faults of workflows
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	$(VENV)/bin/zizmor --offline --quiet .github/workflows

lock: $(READY) ## requirements.lock after an edit of the dependencies
	$(RUN) uv pip compile --quiet --universal --generate-hashes --all-extras --no-emit-index-url \
		--custom-compile-command 'make lock' pyproject.toml -o requirements.lock

bench: $(READY) ## our build against papermill and nbconvert, side by side, as ratios; reports/bench.json
	@$(PY) benchmarks/bench.py --jobs $(JOBS) $(ARGS)

# Only what a build made, under the name it gave: pages carry MADE, and records name their pages. A renamed copy of a
# page and a link in place of one stay.
MADE := <meta name="generator" content="mlperf-inference-analysis">
clean: ## remove what was generated, but not the environment
	@for file in reports/*.html; do name=$$(basename "$$file" .html); [ ! -h "$$file" ] || continue; \
		[ "$$name" = index ] || grep -qxF -e " \"name\": \"$$name\"," -e " \"sweep\": \"$$name\"," reports/*.json 2>/dev/null || continue; \
		! grep -qsF '$(MADE)' "$$file" || rm -f "$$file"; done
	@for file in reports/*.json; do name=$$(basename "$$file" .json); \
		! grep -qsxF " \"name\": \"$$name\"," "$$file" || ! grep -qF '"digest":' "$$file" || rm -f "$$file"; done
	@for file in reports/*.failed.ipynb; do name=$$(basename "$$file" .failed.ipynb); \
		! grep -qsF "\"report\": \"$$name\"" "$$file" || rm -f "$$file"; done
	@find reports -maxdepth 1 -type f '(' -name '.*.[0-9]*.new' -o -name bench.json ')' -exec rm -f {} +
	rm -rf .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find $(wildcard src tests notebooks benchmarks) -type d -name __pycache__ -prune -exec rm -rf {} +

# An environment whose interpreter is gone is made anew; in one whose package is another folder's, as in a copied or
# moved project, this folder's is installed.
ifneq ($(shell $(PY) -c 'print(1)' 2>/dev/null),1)
.PHONY: $(LOCKED)
endif
ifeq ($(shell grep -lsxF "$$(pwd -P)/src" $(VENV)/lib/python*/site-packages/analysis.pth),)
.PHONY: $(READY)
endif

# What was there stays until the new environment is whole, and comes back if that fails or is stopped. A lock that was
# only touched needs none.
$(LOCKED): requirements.lock
	@command -v $(PYTHON) >/dev/null || \
		{ echo "No $(PYTHON) here: Python 3.11 or newer is needed. Name one: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@if cmp -s requirements.lock $@ && $(PY) -c '' 2>/dev/null; then touch $@; exit; fi; \
	echo "Setting up $(VENV) from requirements.lock: once, a minute or two"; \
	[ ! -d $(VENV).old ] || { rm -rf $(VENV) && mv $(VENV).old $(VENV); }; \
	[ ! -d $(VENV) ] || mv $(VENV) $(VENV).old; \
	trap 'rm -rf $(VENV); [ ! -d $(VENV).old ] || mv $(VENV).old $(VENV)' EXIT; trap 'exit 1' HUP INT TERM; \
	$(PYTHON) -m venv $(VENV) && $(RUN) pip install -qq --require-hashes --only-binary :all: -r requirements.lock && \
	cp requirements.lock $@ && trap - EXIT && rm -rf $(VENV).old

# The command names no folder, as pip's would, so that any path will do, and a copied environment is its own.
$(READY): $(LOCKED) pyproject.toml
	@$(RUN) pip install -qq --no-deps --no-build-isolation -e .
	@printf '%s\n' '#!/bin/sh' 'exec "$$(dirname "$$(realpath "$$0")")/python" -P -m analysis.cli.main "$$@"' > $(VENV)/bin/analysis
	@chmod +x $(VENV)/bin/analysis
	@touch $@
