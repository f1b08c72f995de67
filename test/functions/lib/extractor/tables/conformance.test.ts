import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TableSink, TableSinkOptions } from '#lib/extractor/tables/table-sink.ts'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { filesIn } from '../samples/sample.ts'
import { type MappingVector, type TableVector, vectorSets } from '../samples/vectors.ts'

/** A sink that writes cells as PHP does, with a folder for what it makes. */
const withSink = async <Result>(
  options: Omit<TableSinkOptions, 'folder'>,
  use: (sink: TableSink, outDir: string) => Promise<Result>,
): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-vectors-'))
  try {
    const sink = createTableSink({ ...options, compat: true, folder: join(folder, 'spool') })
    return await use(sink, join(folder, 'out'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const addBatches = (sink: TableSink, { batches }: TableVector): void => {
  for (const { json, type, parent } of batches)
    sink.add(type ?? 'root', parseJson(json) as Json[], { parent })
}

const tablesOf = (vector: TableVector): Promise<Record<string, string>> =>
  withSink({ structure: vector.structure }, async (sink, outDir) => {
    addBatches(sink, vector)
    await sink.finish(outDir)
    return Object.fromEntries(Object.entries(filesIn(outDir)).filter(([name]) => !name.endsWith('.manifest')))
  })

const mappedTablesOf = (vector: MappingVector): Promise<MappingVector['tables']> =>
  withSink({ mappings: { root: vector.mapping } }, async (sink, outDir) => {
    const parent = Array.isArray(vector.userData) ? {} : vector.userData
    sink.add('root', parseJson(vector.data) as Json[], { parent })
    const tables = await sink.finish(outDir)
    const files = filesIn(outDir)
    return Object.fromEntries(
      tables.map(({ name, primaryKey }) => [
        name,
        { csv: files[name] ?? '', primaryKey: primaryKey.length === 0 ? null : primaryKey },
      ]),
    )
  })

/** The vectors hold the structure after tables were made, which adds parent columns; the state holds what comes before. */
const withoutParents = (node: unknown): unknown => {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node
  const kept = Object.entries(node).filter(([, child]) => (child as { type?: string }).type !== 'parent')
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutParents(child)]))
}

describe.each(vectorSets)('JSON to tables: $set', ({ vectors: { jsonToTables } }) => {
  it.each(jsonToTables.filter(({ error }) => error === undefined))('$name', async vector => {
    expect(await tablesOf(vector)).toEqual(vector.tables)
  })

  it.each(jsonToTables.filter(({ error }) => error !== undefined))('$name is refused', async vector => {
    await expect(tablesOf(vector)).rejects.toThrow(vector.error)
  })

  it.each(jsonToTables.filter(({ structureAfter }) => structureAfter !== undefined))(
    '$name: the structure in the state',
    async vector => {
      await withSink({ structure: vector.structure }, async (sink, outDir) => {
        addBatches(sink, vector)
        const before = sink.structure()
        await sink.finish(outDir)
        expect(sink.structure()).toEqual(before)
        const after = vector.structureAfter as { data: unknown } // as in the state
        expect(before.struct).toEqual({ data: withoutParents(after.data), parent_aliases: [] })
      })
    },
  )
})

describe.each(vectorSets)('mappings: $set', ({ vectors: { mapping } }) => {
  it.each(mapping.filter(({ error }) => error === undefined))('$name', async vector => {
    expect(await mappedTablesOf(vector)).toEqual(vector.tables)
  })

  it.each(mapping.filter(({ error }) => error !== undefined))('$name is refused', async vector => {
    await expect(mappedTablesOf(vector)).rejects.toThrow(vector.error)
  })
})
