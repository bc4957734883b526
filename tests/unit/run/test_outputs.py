"""Files of results are the same whatever wrote them."""

import json
import os
import time

import pandas as pd

from headwork.run.outputs import date_back, write_examples, write_json, write_table

TABLE = pd.DataFrame({"head": [0, 1], "value": [1 / 3, 2e6]})


def test_a_table_in_csv_has_six_digits_and_plain_line_ends(tmp_path):
    write_table(tmp_path / "new" / "table.csv", TABLE)
    assert (tmp_path / "new" / "table.csv").read_bytes() == b"head,value\n0,0.333333\n1,2e+06\n"


def test_a_table_in_parquet_keeps_every_digit(tmp_path):
    write_table(tmp_path / "table.parquet", TABLE.set_index(pd.Index([5, 6])))
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "table.parquet"), TABLE)


def test_an_object_has_a_key_a_line(tmp_path):
    write_json(tmp_path / "facts.json", {"name": "ə", "path": tmp_path, "count": 1})
    text = (tmp_path / "facts.json").read_text(encoding="utf-8")
    assert text.splitlines()[1] == '  "name": "ə",'
    assert json.loads(text) == {"name": "ə", "path": str(tmp_path), "count": 1}


def test_examples_stand_one_a_line(tmp_path):
    write_examples(tmp_path / "some.json", ({"map": [[number]]} for number in range(2)))
    assert (tmp_path / "some.json").read_text() == '[\n{"map":[[0]]},\n{"map":[[1]]}\n]\n'
    write_examples(tmp_path / "none.json", [])
    assert json.loads((tmp_path / "none.json").read_text()) == []


def test_what_was_written_before_the_clock_was_moved_back_is_no_longer_of_the_future(tmp_path):
    now = time.time()
    for name, moment in (("past", now - 3600), ("future", now + 3600)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (moment, moment))
    date_back(tmp_path)
    assert (tmp_path / "past").stat().st_mtime < now - 3000
    assert now - 1 < (tmp_path / "future").stat().st_mtime <= time.time()
