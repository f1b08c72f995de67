import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTableSink, type Json, type JsonObject, parseJson } from '#lib/extractor/tables/index.ts'

const vectorsFile = resolve(
  import.meta.dirname,
  '../../../../../../shared/conformance/extractor/vectors.json',
)
const present = existsSync(vectorsFile)
if (!present) console.info('conformance vectors are not beside this repository: their tests are skipped')

interface Vector {
  name: string
  structure?: unknown
  batches: { json: string; type?: string; parent?: JsonObject }[]
  tables: Record<string, string>
  error?: string
  structureAfter?: unknown
}

const vectors: Vector[] = present ? JSON.parse(readFileSync(vectorsFile, 'utf8')).jsonToTables : []

interface MappingVector {
  name: string
  mapping: unknown
  data: string
  userData: JsonObject | []
  tables: Record<string, { csv: string; primaryKey: string[] | null }>
  error?: string
}

const mappingVectors: MappingVector[] = present ? JSON.parse(readFileSync(vectorsFile, 'utf8')).mapping : []

async function mappedTablesOf(vector: MappingVector): Promise<MappingVector['tables']> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-vectors-'))
  try {
    const sink = createTableSink({
      folder: join(folder, 'spool'),
      compat: true,
      mappings: { root: vector.mapping },
    })
    const parent = Array.isArray(vector.userData) ? {} : vector.userData
    sink.add('root', parseJson(vector.data) as Json[], { parent })
    const tables = await sink.finish(join(folder, 'out'))
    const entries = tables.map(async ({ name, file, primaryKey }) => {
      const csv = await readFile(file, 'utf8')
      return [name, { csv, primaryKey: primaryKey.length === 0 ? null : primaryKey }] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tablesOf(vector: Vector): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-vectors-'))
  try {
    const sink = createTableSink({ folder: join(folder, 'spool'), compat: true, structure: vector.structure })
    for (const { json, type, parent } of vector.batches)
      sink.add(type ?? 'root', parseJson(json) as Json[], { parent })
    await sink.finish(join(folder, 'out'))
    const files = (await readdir(join(folder, 'out'))).filter(file => !file.endsWith('.manifest'))
    return Object.fromEntries(
      await Promise.all(
        files.map(async file => [file, await readFile(join(folder, 'out', file), 'utf8')] as const),
      ),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe.runIf(present)('JSON to tables as in the field', () => {
  test.each(vectors.filter(vector => vector.error === undefined))('$name', async vector => {
    expect(await tablesOf(vector)).toEqual(vector.tables)
  })
  test.each(vectors.filter(vector => vector.error !== undefined))('$name is refused', async vector => {
    await expect(tablesOf(vector)).rejects.toThrow(vector.error)
  })
})

/** The vectors hold the structure after tables were made, which adds parent columns; the state holds what comes before. */
function withoutParents(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node
  const kept = Object.entries(node).filter(([, child]) => (child as { type?: string }).type !== 'parent')
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutParents(child)]))
}

describe.runIf(present)('the structure in the state', () => {
  const known = vectors.filter(vector => vector.structureAfter !== undefined)
  test.each(known)('$name', async vector => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-vectors-'))
    try {
      const sink = createTableSink({
        folder: join(folder, 'spool'),
        compat: true,
        structure: vector.structure,
      })
      for (const { json, type, parent } of vector.batches)
        sink.add(type ?? 'root', parseJson(json) as Json[], { parent })
      const before = sink.structure()
      await sink.finish(join(folder, 'out'))
      expect(sink.structure()).toEqual(before)
      const after = vector.structureAfter as { data: unknown }
      expect(before.struct).toEqual({ data: withoutParents(after.data), parent_aliases: [] })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe.runIf(present)('mappings as in the field', () => {
  test.each(mappingVectors.filter(vector => vector.error === undefined))('$name', async vector => {
    expect(await mappedTablesOf(vector)).toEqual(vector.tables)
  })
  test.each(mappingVectors.filter(vector => vector.error !== undefined))('$name is refused', async vector => {
    await expect(mappedTablesOf(vector)).rejects.toThrow(vector.error)
  })
})
