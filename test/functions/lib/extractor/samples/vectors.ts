import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '#lib/json/json-value.ts'
import { ownFolder } from './own-samples.ts'
import { sharedFolder } from './shared-samples.ts'

/** Single steps with what goes in and what comes out; JSON is text where the spelling of numbers matters. */
export interface Vectors {
  functionContext: JsonObject
  functions: { expression: string; value?: unknown; error?: string }[]
  filters: { filter: string; item: string; passes?: boolean; error?: string }[]
  buildUrl: { url: string; params: Record<string, never>; result: string }[]
  jsonToTables: TableVector[]
  mapping: MappingVector[]
}

export interface TableVector {
  name: string
  structure?: unknown
  batches: { json: string; type?: string; parent?: JsonObject }[]
  tables: Record<string, string>
  error?: string
  structureAfter?: unknown
}

export interface MappingVector {
  name: string
  mapping: unknown
  data: string
  userData: JsonObject | []
  tables: Record<string, { csv: string; primaryKey: string[] | null }>
  error?: string
}

/** Our own vectors, and the shared ones where they are. */
export const vectorSets: { set: string; vectors: Vectors }[] = [
  { set: 'our own', folder: ownFolder },
  { set: 'the shared ones', folder: sharedFolder },
]
  .map(({ set, folder }) => ({ set, file: join(folder, 'vectors.json') }))
  .filter(({ file }) => existsSync(file))
  .map(({ set, file }) => ({ set, vectors: JSON.parse(readFileSync(file, 'utf8')) as Vectors })) // in this shape by agreement
