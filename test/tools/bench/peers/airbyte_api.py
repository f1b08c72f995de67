"""The extraction of extractor-api.ts with Airbyte's declarative runtime: its messages, as its sources print them, into a file."""

import logging
import sys

import orjson
from airbyte_cdk.models import (
    AirbyteMessageSerializer,
    AirbyteStream,
    ConfiguredAirbyteCatalog,
    ConfiguredAirbyteStream,
    DestinationSyncMode,
    SyncMode,
)
from airbyte_cdk.sources.declarative.concurrent_declarative_source import (
    ConcurrentDeclarativeSource,
)

origin, folder = sys.argv[1:]
logging.disable(logging.CRITICAL)
offset = {"type": "OffsetIncrement", "page_size": 100}
manifest = {
    "version": "6.0.0",
    "type": "DeclarativeSource",
    "check": {"type": "CheckStream", "stream_names": ["rows"]},
    "streams": [
        {
            "type": "DeclarativeStream",
            "name": "rows",
            "retriever": {
                "type": "SimpleRetriever",
                "requester": {"type": "HttpRequester", "url_base": origin, "path": "/rows"},
                "record_selector": {
                    "type": "RecordSelector",
                    "extractor": {"type": "DpathExtractor", "field_path": []},
                },
                "paginator": {
                    "type": "DefaultPaginator",
                    "page_token_option": {
                        "type": "RequestOption",
                        "inject_into": "request_parameter",
                        "field_name": "offset",
                    },
                    "pagination_strategy": offset,
                },
            },
            "schema_loader": {"type": "InlineSchemaLoader", "schema": {}},
        }
    ],
}
stream = AirbyteStream(name="rows", json_schema={}, supported_sync_modes=[SyncMode.full_refresh])
configured = ConfiguredAirbyteStream(
    stream=stream,
    sync_mode=SyncMode.full_refresh,
    destination_sync_mode=DestinationSyncMode.overwrite,
)
catalog = ConfiguredAirbyteCatalog(streams=[configured])
source = ConcurrentDeclarativeSource(
    catalog=catalog, config={}, state=[], source_config=manifest
)
with open(f"{folder}/messages.jsonl", "wb") as out:
    for message in source.read(logging.getLogger("airbyte"), {}, catalog, []):
        out.write(orjson.dumps(AirbyteMessageSerializer.dump(message)) + b"\n")
