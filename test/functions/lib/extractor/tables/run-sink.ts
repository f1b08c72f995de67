import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TableSinkCheckpoint, TableSinkOptions } from '#lib/extractor/tables/table-sink.ts'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'

export interface Page {
  type?: string
  items: Json[]
  parent?: JsonObject
}

export interface RunOptions extends Partial<Omit<TableSinkOptions, 'folder'>> {
  /** Numbers of pages after which the sink is stopped and another one resumes. */
  stopAfter?: readonly number[]
  /** Lets every table come from the log of the pages instead of the rows written on the way. */
  fromLog?: boolean
  /** What becomes of a checkpoint on the way to the next sink. */
  forged?: (checkpoint: string) => string
}

/** Files that a sink writes for some pages, by name. */
export async function runSink(
  pages: readonly Page[],
  options: RunOptions = {},
): Promise<Record<string, string>> {
  const { stopAfter = [], fromLog = false, forged = text => text, ...sinkOptions } = options
  const root = await mkdtemp(join(tmpdir(), 'millrace-sink-'))
  try {
    const folder = join(root, 'spool')
    let sink = createTableSink({ ...sinkOptions, folder })
    if (fromLog)
      sink = createTableSink({ ...sinkOptions, folder, checkpoint: withoutLiveRows(sink.checkpoint()) })
    for (const [i, { type = 'root', items, parent }] of pages.entries()) {
      sink.add(type, items, parent === undefined ? {} : { parent })
      if (!stopAfter.includes(i)) continue
      const checkpoint = JSON.parse(forged(JSON.stringify(sink.checkpoint()))) as TableSinkCheckpoint // made by checkpoint()
      sink = createTableSink({ ...sinkOptions, folder, checkpoint })
    }
    await sink.finish(join(root, 'out'))
    const files = await readdir(join(root, 'out'))
    const contents = files.map(async file => [file, await readFile(join(root, 'out', file), 'utf8')] as const)
    return Object.fromEntries(await Promise.all(contents))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** A sink that resumes with it takes all rows from the log of the pages. */
export function withoutLiveRows(checkpoint: TableSinkCheckpoint): TableSinkCheckpoint {
  return { ...checkpoint, automatic: { ...(checkpoint['automatic'] as object), isExact: false } }
}
