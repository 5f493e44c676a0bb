# Entry point of the project: needs make and Python, and sets up the rest. `make` alone prints help.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Commands run from this folder and as modules: its path may contain spaces and quotes, and scripts in .venv contain the
# path at which it was created.
PY := $(VENV)/bin/python
RUN := $(PY) -m
ANALYSIS := $(RUN) analysis.cli.main
# Two stamps, because a change to pyproject.toml requires no new download.
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready

# If it were set, each process would recompile the package and rewrite the assertions of every test.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_NO_INPUT := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Pages are written whole or not at all, so make need not remove one when it is interrupted.
.PRECIOUS: reports/%.html
.PHONY: help reports watch test lab dev data check describe refresh lint lock bench clean FORCE

help: ## show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z%.\/-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  PYTHON=python3.12 another interpreter for the setup    JOBS=N notebooks at a time"

reports: $(READY) ## build every report that is not up to date, and reports/index.html
	@$(ANALYSIS) reports --jobs $(JOBS) $(ARGS)

reports/index.html: reports

reports/%.html: $(READY) FORCE ## build one report, by the name of its notebook or run file
	@$(ANALYSIS) reports --jobs $(JOBS) '$*'

watch: $(READY) ## serve the reports on this machine and rebuild them after each edit; Ctrl-C stops it
	@exec $(ANALYSIS) reports --watch --jobs $(JOBS) $(ARGS)

# Each shipped notebook runs in a real kernel. A user's own imports must not change the outputs that are compared.
test: $(READY) ## run the tests except slow ones, then check every notebook in git against its stored outputs
	@status=0; export ANALYSIS_RECORD=shipped; \
	$(RUN) pytest -p no:nbval -n auto --dist worksteal tests || status=1; \
	$(RUN) pytest -p analysis.pages.schema --nbval --nbval-current-env -n auto --dist loadfile \
		$$(git ls-files 'notebooks/*.ipynb' 2>/dev/null | grep -v '/_' || ls notebooks/[!_]*.ipynb) || status=1; \
	[ $$status = 0 ] || echo "Notebooks edited? Tests read their stored outputs: run 'make refresh' first." >&2; \
	exit $$status

# Notebooks are signed, or JupyterLab would show the text of a stored figure in its place. In a container the user is
# often root.
# The kernel reports the language info that notebooks store, or JupyterLab would mark a notebook as changed on opening.
# JupyterLab cuts off a drawing that is wider than the page, unless a style sheet limits its width.
lab: $(READY) ## open JupyterLab on the notebooks; edited modules are reloaded automatically
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

# Commands run as modules, so .venv need not be on PATH.
dev: $(READY) ## set up git for contributors: notebooks diffed and merged by cell, style checks before each commit
	@$(RUN) nbdime config-git --enable
	@git config diff.jupyternotebook.command '$(RUN) nbdime.vcs.git.diffdriver diff'
	@git config merge.jupyternotebook.driver '$(RUN) nbdime.vcs.git.mergedriver merge %O %A %B %L %P'
	@git config filter.notebook.clean '$(RUN) analysis.pages.refresh %f'
	@$(RUN) pre_commit install

data: $(READY) ## recompute the derived tables of data/; with FROM="PATH ..." import a round into data/official/
	@$(ANALYSIS) data $(FROM) $(ARGS)

check: $(READY) ## check every table of data/ against its description
	@$(ANALYSIS) check

describe: $(READY) ## update data/datapackage.json and data/README.md after an edit of a table
	@$(ANALYSIS) describe

refresh: $(READY) ## execute the notebooks in place, so that stored outputs match
	@$(ANALYSIS) refresh --jobs $(JOBS)

lint: $(READY) ## check the style of code and notebooks, imports between layers, and workflows
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	$(VENV)/bin/zizmor --offline --quiet .github/workflows

lock: $(READY) ## update requirements.lock after an edit of the dependencies
	$(RUN) uv pip compile --quiet --universal --generate-hashes --all-extras --no-emit-index-url \
		--custom-compile-command 'make lock' pyproject.toml -o requirements.lock

bench: $(READY) ## compare our build with papermill and nbconvert, as ratios; writes reports/bench.json
	@$(PY) benchmarks/bench.py --jobs $(JOBS) $(ARGS)

# Remove only files that a build wrote, under their original names: pages contain MADE, and records name their pages.
# Renamed copies and links are kept.
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

# Recreate an environment whose interpreter is missing, and reinstall the package in one that points to another folder,
# as in a copied or moved project.
ifneq ($(shell $(PY) -c 'print(1)' 2>/dev/null),1)
.PHONY: $(LOCKED)
endif
ifeq ($(shell grep -lsxF "$$(pwd -P)/src" $(VENV)/lib/python*/site-packages/analysis.pth),)
.PHONY: $(READY)
endif

# Keep the previous environment until the new one is complete, and restore it if the setup fails or is interrupted. A
# lock file that was only touched needs no new environment.
$(LOCKED): requirements.lock
	@command -v $(PYTHON) >/dev/null || \
		{ echo "$(PYTHON) not found: Python 3.11 or newer is required. Set one: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is required; $(PYTHON) is $$($(PYTHON) -V 2>&1). Set another: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@if cmp -s requirements.lock $@ && $(PY) -c '' 2>/dev/null; then touch $@; exit; fi; \
	echo "Setting up $(VENV) from requirements.lock: once, a minute or two"; \
	[ ! -d $(VENV).old ] || { rm -rf $(VENV) && mv $(VENV).old $(VENV); }; \
	[ ! -d $(VENV) ] || mv $(VENV) $(VENV).old; \
	trap 'rm -rf $(VENV); [ ! -d $(VENV).old ] || mv $(VENV).old $(VENV)' EXIT; trap 'exit 1' HUP INT TERM; \
	$(PYTHON) -m venv $(VENV) && $(RUN) pip install -qq --require-hashes --only-binary :all: -r requirements.lock && \
	cp requirements.lock $@ && trap - EXIT && rm -rf $(VENV).old

# Unlike the script of pip, the command contains no path, so the project works in any folder and can be copied.
$(READY): $(LOCKED) pyproject.toml
	@$(RUN) pip install -qq --no-deps --no-build-isolation -e .
	@printf '%s\n' '#!/bin/sh' 'exec "$$(dirname "$$(realpath "$$0")")/python" -P -m analysis.cli.main "$$@"' > $(VENV)/bin/analysis
	@chmod +x $(VENV)/bin/analysis
	@touch $@
