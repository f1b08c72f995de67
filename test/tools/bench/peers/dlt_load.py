"""Loads a CSV file by a key into a table of DuckDB with dlt, its merge; the file is read by pyarrow, the fastest of its readers."""

import os
import sys

file, folder = sys.argv[1:]
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["DLT_DATA_DIR"] = folder

import dlt
import pyarrow as pa
import pyarrow.csv as csv

names = csv.open_csv(file).schema.names
options = csv.ConvertOptions(column_types={name: pa.string() for name in names})
parsing = csv.ParseOptions(newlines_in_values=True)


@dlt.resource(name="orders", primary_key="id", write_disposition="merge")
def orders():
    yield from csv.open_csv(file, convert_options=options, parse_options=parsing)


pipeline = dlt.pipeline(
    "bench",
    pipelines_dir=f"{folder}/pipelines",
    destination=dlt.destinations.duckdb(f"{folder}/dlt.duckdb"),
    dataset_name="bench",
)
pipeline.run(orders())
