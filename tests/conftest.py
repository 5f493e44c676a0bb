"""How the test processes use memory."""

import gc


def pytest_collection_finish():
    """Look for garbage seldom: in processes that hold the whole record, looking takes a seventh of the time."""
    gc.freeze()
    gc.set_threshold(100_000)
