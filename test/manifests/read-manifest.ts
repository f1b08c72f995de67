import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { extract } from '#lib/extractor/run/extract.ts'
import { safeName } from '#lib/extractor/values/php/safe-name.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { importConfiguration } from '#lib/onboarding/import/import-configuration.ts'
import type { Loss } from '#lib/onboarding/import/report.ts'
import { type Answer, type ApiRequest, startApi } from '../functions/lib/extractor/api-server.ts'
import { readTables } from '../functions/lib/extractor/run-extraction.ts'
import { type Feature, manifestOf } from './feature.ts'
import { apiOf } from './manifest-api.ts'

/** What reading the stream `s` gave, in no order: rows by their values, requests as they were sent. */
export interface Reading {
  rows: string[]
  requests: string[]
  error?: string
}

/** Ours: the manifest imported, and what came of it run. */
export const readByOurs = async (features: readonly Feature[]): Promise<OurReading> => {
  const said: Said = { losses: [], warnings: [] }
  const { manifest, config } = manifestOf(features)
  const read = await reading(apiOf(features), manifest, config, importing('s', said))
  return { ...read, losses: said.losses }
}

/** What the import and the run said. */
export interface Said {
  losses: readonly Loss[]
  warnings: string[]
}

type OurReading = Reading & Pick<Said, 'losses'>

type ReadStream = (manifest: JsonObject, config: JsonObject) => Promise<JsonObject[]>

/** A server that makes us wait for long is not what its manifest meant. */
const LONGEST_MS = 20_000

/** Imports a manifest and runs it; its rows are those of the table of one stream. */
export const importing =
  (stream: string, said: Said): ReadStream =>
  async (manifest, config) => {
    const folder = await mkdtemp(join(tmpdir(), 'manifest-'))
    try {
      const imported = importConfiguration(JSON.stringify(manifest), { settings: config, bucket: 'b' })
      said.losses = imported.losses
      if (imported.draft === undefined) throw imported.problem
      const ended = await extract({
        signal: AbortSignal.timeout(LONGEST_MS),
        graceSeconds: 1,
        config: JSON.parse(JSON.stringify(imported.draft)),
        outDir: join(folder, 'out'),
        spoolDir: join(folder, 'spool'),
        log: ({ level, message }) => level === 'warning' && said.warnings.push(message),
      })
      if (!ended.finished) throw new Error(`It was not finished after ${LONGEST_MS} ms`)
      const table = readTables(join(folder, 'out'))[`b.${safeName(stream)}`] ?? ''
      return parse(table, { columns: true }) as Record<string, string>[] // with `columns`
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

/** Whatever reads a manifest, against an API that does what it asks. `ORIGIN` in its texts is the address of the API. */
export const reading = async (
  answer: Answer,
  manifest: JsonObject,
  config: JsonObject,
  read: ReadStream,
): Promise<Reading> => {
  const api = await startApi(answer)
  const placed = (value: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(value).replaceAll('ORIGIN', api.origin)) as JsonObject // as it was
  try {
    const rows = await read(placed(manifest), placed(config)).catch((error: unknown) => error as Error) // only Errors are thrown
    const requests = api.requests
      .map(request => requestText(request))
      .filter(isNoRepeatedLogin)
      .toSorted()
    if (rows instanceof Error) return { rows: [], requests, error: rows.message }
    return { rows: rows.map(rowText).toSorted(), requests }
  } finally {
    await api.close()
  }
}

/** Airbyte's runtime logs in again for each request, ours when there is a need. */
const isNoRepeatedLogin = (request: string, index: number, all: readonly string[]): boolean =>
  !/^POST \/(login|token)\b/.test(request) || all.indexOf(request) === index

/** Columns that only our tables have are left out, and so are empty ones. */
const rowText = (row: JsonObject): string =>
  Object.entries(flat(row))
    .filter(([name, value]) => !/^parent_|^JSON_parentId$/.test(name) && value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(' ')

const flat = (row: JsonObject, before = ''): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(row).map(([name, value]) =>
      isObject(value) ? flat(value, `${before}${name}_`) : { [`${before}${name}`]: cell(value) },
    ),
  )

const cell = (value: Json): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const requestText = ({ method, path, query, headers, body }: ApiRequest): string => {
  const sorted = [...query].map(([name, value]) => `${name}=${value}`).toSorted()
  const own = Object.entries(headers)
    .filter(([name]) => name === 'authorization' || name.startsWith('x-'))
    .map(([name, value]) => ` ${name}: ${String(value)}`)
    .toSorted() // their order says nothing
  return `${method} ${path}${sorted.length === 0 ? '' : '?'}${sorted.join('&')}${own.join('')}${bodyText(body)}`
}

const bodyText = (body: string): string => {
  if (body === '') return ''
  try {
    return ` ${JSON.stringify(sortedKeys(JSON.parse(body) as Json))}` // JSON
  } catch {
    return ` ${[...new URLSearchParams(body)]
      .map(pair => pair.join('='))
      .toSorted()
      .join('&')}`
  }
}

const sortedKeys = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortedKeys(inner)]),
  )
}
