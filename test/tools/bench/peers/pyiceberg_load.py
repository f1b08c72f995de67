"""Loads a CSV file by a key into an Iceberg table with PyIceberg: the first as an append, others as an upsert."""

import sys

import pyarrow as pa
import pyarrow.csv as csv
from pyiceberg.catalog.sql import SqlCatalog

file, folder = sys.argv[1:]
names = csv.open_csv(file).schema.names
rows = csv.read_csv(
    file,
    convert_options=csv.ConvertOptions(column_types={name: pa.string() for name in names}),
    parse_options=csv.ParseOptions(newlines_in_values=True),
)
catalog = SqlCatalog(
    "bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse"
)
catalog.create_namespace_if_not_exists("bench")
if catalog.table_exists("bench.orders"):
    catalog.load_table("bench.orders").upsert(rows, join_cols=["id"])
else:
    catalog.create_table("bench.orders", schema=rows.schema).append(rows)
