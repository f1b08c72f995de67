"""Loads a CSV file by a key into a table of DuckDB's own file, all columns as text."""

import sys

import duckdb

file, folder = sys.argv[1:]
source = f"read_csv('{file}', header = true, all_varchar = true)"
with duckdb.connect(f"{folder}/duckdb.db") as connection:
    names = [name for name, *_ in connection.sql(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    columns = ", ".join(f"{name} VARCHAR" for name in names)
    connection.sql(f"CREATE TABLE IF NOT EXISTS orders ({columns}, PRIMARY KEY (id))")
    connection.sql(f"INSERT OR REPLACE INTO orders SELECT * FROM {source}")
