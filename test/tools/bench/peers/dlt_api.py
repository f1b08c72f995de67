"""The extraction of extractor-api.ts with dlt: its REST source into local CSV files."""

import os
import sys

origin, folder = sys.argv[1:]
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["DLT_DATA_DIR"] = folder

import dlt
from dlt.sources.rest_api import rest_api_source

source = rest_api_source(
    {
        "client": {
            "base_url": f"{origin}/",
            "paginator": {"type": "offset", "limit": 100, "total_path": None},
        },
        "resources": [{"name": "rows", "endpoint": {"path": "rows"}}],
    }
)
pipeline = dlt.pipeline(
    "bench",
    pipelines_dir=f"{folder}/pipelines",
    destination=dlt.destinations.filesystem(f"file://{folder}/tables"),
    dataset_name="bench",
)
pipeline.run(source, loader_file_format="csv")
