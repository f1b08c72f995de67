"""Loads a CSV file by a key into a Delta table with delta-rs: the first as an append, others as a merge."""

import os
import sys

import pyarrow as pa
import pyarrow.csv as csv
from deltalake import DeltaTable, write_deltalake

file, folder = sys.argv[1:]
names = csv.open_csv(file).schema.names
rows = csv.read_csv(
    file,
    convert_options=csv.ConvertOptions(column_types={name: pa.string() for name in names}),
    parse_options=csv.ParseOptions(newlines_in_values=True),
)
table = f"{folder}/delta"
if os.path.exists(table):
    (
        DeltaTable(table)
        .merge(rows, predicate="t.id = s.id", source_alias="s", target_alias="t")
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute()
    )
else:
    write_deltalake(table, rows)
