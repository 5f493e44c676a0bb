"""What the projects of these tests have in common: none of their notebooks needs a library of ours."""

import pytest

UNUSED = ("numpy", "pandas", "pyarrow", "pydantic", "matplotlib", "seaborn")


@pytest.fixture(scope="session")
def without_libraries():
    """Let the kernels of a project find no library, which would take most of the time until they are ready; its names.

    What a process that kernels are forked from does with libraries is held by test_kernels.py.
    """

    def hide(source):
        source.mkdir(parents=True, exist_ok=True)
        for name in UNUSED:
            (source / f"{name}.py").write_text("raise ImportError\n")
        return UNUSED

    return hide
