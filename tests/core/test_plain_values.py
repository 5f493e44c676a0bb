"""Rows of frames as plain values."""

import math

import pandas as pd

from analysis._core.plain_values import as_dicts, as_json


def test_rows_are_dictionaries_of_pythons_own_values_as_pandas_gives_them():
    frame = pd.DataFrame(
        {
            "text": ["a", "", "b"],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "rate": [1.5, float("nan"), 2.0],
            "whole": [1, 2, 3],
            "so": [True, False, True],
            "day": pd.to_datetime(["2024-08-28", "2025-09-09", "2026-04-01"]),
            "set": [frozenset({1}), (1, 2), None],
        },
        index=[7, 8, 9],
    )
    rows = as_dicts(frame)
    assert repr(rows) == repr(frame.to_dict("records"))
    assert [type(value) for value in rows[0].values()] == [str, int, float, int, bool, pd.Timestamp, frozenset]
    assert rows[1]["count"] is None and math.isnan(rows[1]["rate"])


def test_frames_without_rows_or_columns():
    assert as_dicts(pd.DataFrame({"a": []})) == []
    assert as_dicts(pd.DataFrame(index=[0, 1])) == [{}, {}]


def test_what_is_missing_is_none_in_json():
    frame = pd.DataFrame({"n": pd.array([1, None], dtype="Int64"), "x": [float("nan"), 2.0], "t": ["a", None]})
    assert as_json(frame) == [{"n": 1, "x": None, "t": "a"}, {"n": None, "x": 2.0, "t": None}]
