"""Reads one stream of a declarative manifest with Airbyte's runtime: a line of JSON in, {manifest, config, stream}; a line out."""

import json
import logging
import signal
import sys

from airbyte_cdk.models import (
    AirbyteStream,
    ConfiguredAirbyteCatalog,
    ConfiguredAirbyteStream,
    DestinationSyncMode,
    SyncMode,
    Type,
)
from airbyte_cdk.sources.declarative.concurrent_declarative_source import (
    ConcurrentDeclarativeSource,
)

logging.disable(logging.CRITICAL)


def read(manifest, config, stream):
    is_incremental = any(
        "incremental_sync" in each
        for each in manifest["streams"]
        if isinstance(each, dict) and each.get("name") == stream
    )
    mode = SyncMode.incremental if is_incremental else SyncMode.full_refresh
    catalog = ConfiguredAirbyteCatalog(
        streams=[
            ConfiguredAirbyteStream(
                stream=AirbyteStream(name=stream, json_schema={}, supported_sync_modes=[mode]),
                sync_mode=mode,
                destination_sync_mode=DestinationSyncMode.append,
            )
        ]
    )
    source = ConcurrentDeclarativeSource(
        catalog=catalog, config=config, state=[], source_config=manifest
    )
    rows = []
    for message in source.read(logging.getLogger("airbyte"), config, catalog, []):
        if message.type == Type.RECORD:
            rows.append(dict(message.record.data))
    return rows


def too_late(*_):
    raise TimeoutError("it took longer than 10 seconds")


signal.signal(signal.SIGALRM, too_late)
answers, sys.stdout = sys.stdout, sys.stderr  # the runtime prints, too
for line in sys.stdin:
    asked = json.loads(line)
    signal.alarm(10)
    try:
        answer = {"rows": read(**asked)}
    except Exception as error:  # what it says is the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer, default=str), file=answers, flush=True)
