"""The extraction of extractor-api.ts as somebody writes it by hand: a loop over pages, two CSV files. Shows what a page costs without any tool."""

import csv
import sys

import requests

origin, folder = sys.argv[1:]
LIMIT = 100

with requests.Session() as session:
    with (
        open(f"{folder}/rows.csv", "w", newline="", encoding="utf-8") as rows_file,
        open(f"{folder}/rows_tags.csv", "w", newline="", encoding="utf-8") as tags_file,
    ):
        rows = csv.writer(rows_file)
        tags = csv.writer(tags_file)
        tags.writerow(["data", "rows_id"])
        offset = 0
        while True:
            response = session.get(f"{origin}/rows", params={"limit": LIMIT, "offset": offset})
            response.raise_for_status()
            page = response.json()
            if not page:
                break
            if offset == 0:
                columns = [key for key in page[0] if key not in ("address", "tags")]
                places = list(page[0]["address"])
                rows.writerow(columns + [f"address_{key}" for key in places])
            for row in page:
                rows.writerow([row[key] for key in columns] + [row["address"][key] for key in places])
                tags.writerows([tag, row["id"]] for tag in row["tags"])
            offset += LIMIT
