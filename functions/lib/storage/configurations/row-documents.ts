import pMap from 'p-map'
import { z } from 'zod'
import { type Item, type ItemTable, startingWith } from '../../items/item-table.ts'
import { parseJson } from '../../json/parse-json.ts'
import { createDocumentCache, type LoadedDocument, type Reference } from '../db/document-cache.ts'
import { type DocumentFiles, storedText } from '../db/document-files.ts'
import { paddedNumber } from '../db/padded-number.ts'
import { type Row, rowSchema } from './configuration.ts'

/** The state of a row, set in a revision of the head. `replaces`: the revision of the state before, or 0. */
export const pendingState = z.object({
  id: z.string(),
  state: z.string(),
  revision: z.number(),
  replaces: z.number(),
})
type PendingState = z.infer<typeof pendingState>

const rowItem = z.object({ document: storedText })
const stateItem = z.object({ sk: z.string(), document: storedText, headRevision: z.number() })

const MAX_TEXT_BYTES = 300_000
const WRITES_AT_ONCE = 16
const LOADS_AT_ONCE = 8
// About thirty configurations of 900 rows.
const CACHED_BYTES = 16_000_000

const partition = (internalId: string): string => `CONFIG#${internalId}`
const rowKey = (rowId: string, version: number): string => `r#${rowId}#${paddedNumber(version)}`
const statePrefix = 's#'

/** The rows of configurations: an item for each version, written once and never changed, and one for the last state. */
export const createRowDocuments = (items: ItemTable, documents: DocumentFiles) => {
  const rowCache = createDocumentCache<Row>(CACHED_BYTES)
  const stateCache = createDocumentCache<string>(CACHED_BYTES)

  const readRow = async (item: Item): Promise<LoadedDocument<Row>> => {
    const text = await documents.load(rowItem.parse(item).document)
    const value = rowSchema.parse(parseJson(text))
    return { reference: [value.id, value.version], value, bytes: text.length }
  }

  const readState = async (item: Item): Promise<LoadedDocument<string>> => {
    const { sk, document, headRevision } = stateItem.parse(item)
    const value = await documents.load(document)
    return { reference: [sk.slice(statePrefix.length), headRevision], value, bytes: value.length }
  }

  return {
    /** Idempotent. */
    async keepRows(internalId: string, rows: readonly Row[]): Promise<void> {
      const keep = async (value: Row) => {
        const text = JSON.stringify(value)
        const key = { pk: partition(internalId), sk: rowKey(value.id, value.version) }
        await items.put(key, { document: await documents.keep(text, MAX_TEXT_BYTES) }, 'absent')
        rowCache.add(internalId, { reference: [value.id, value.version], value, bytes: text.length })
      }
      await pMap(rows, keep, { concurrency: WRITES_AT_ONCE })
    },

    /** Idempotent: does not undo a newer state. */
    async keepStates(internalId: string, states: readonly PendingState[]): Promise<void> {
      const keep = async ({ id, state, revision, replaces }: PendingState) => {
        const key = { pk: partition(internalId), sk: `${statePrefix}${id}` }
        const item = { document: await documents.keep(state, MAX_TEXT_BYTES), headRevision: revision }
        await items.put(key, item, replaces === 0 ? 'absent' : { headRevision: replaces })
        stateCache.add(internalId, { reference: [id, revision], value: state, bytes: state.length })
      }
      await pMap(states, keep, { concurrency: WRITES_AT_ONCE })
    },

    /** These versions of rows, by row id. */
    loadRows: (internalId: string, wanted: readonly Reference[]): Promise<Map<string, Row>> =>
      rowCache.load(internalId, wanted, async missing => {
        const keys = missing.map(([id, version]) => ({ pk: partition(internalId), sk: rowKey(id, version) }))
        return pMap(await items.getMany(keys), readRow, { concurrency: LOADS_AT_ONCE })
      }),

    /** The states set in these revisions of the head, by row id, except those that were replaced since. */
    loadStates: (internalId: string, wanted: readonly Reference[]): Promise<Map<string, string>> =>
      stateCache.load(internalId, wanted, async missing => {
        const revisions = new Map(missing)
        const keys = missing.map(([id]) => ({ pk: partition(internalId), sk: `${statePrefix}${id}` }))
        const found = await pMap(await items.getMany(keys), readState, { concurrency: LOADS_AT_ONCE })
        return found.filter(({ reference: [id, revision] }) => revisions.get(id) === revision)
      }),

    async get(internalId: string, rowId: string, version: number): Promise<Row | undefined> {
      const item = await items.get({ pk: partition(internalId), sk: rowKey(rowId, version) })
      return item && (await readRow(item)).value
    },

    /** The versions of one row, newest first. */
    async *list(internalId: string, rowId: string): AsyncGenerator<Row> {
      const range = { ...startingWith(`r#${rowId}#`), newestFirst: true }
      for await (const item of items.query(partition(internalId), range)) yield (await readRow(item)).value
    },
  }
}

export type RowDocuments = ReturnType<typeof createRowDocuments>

/**
 * Row ids with version numbers as one text: `first:3 second:1`. Each change of a configuration reads and writes up to a
 * thousand of them, several times faster than as JSON arrays. Colons and spaces of an id are escaped as in an address.
 */
export const formatReferences = (references: readonly Reference[]): string =>
  references.map(([id, version]) => `${encodeURIComponent(id)}:${version}`).join(' ')

export const parseReferences = (text: string): Reference[] =>
  text === '' ? [] : text.split(' ').map(parseReference)

const parseReference = (text: string): Reference => {
  const colon = text.indexOf(':')
  const id = text.slice(0, colon)
  // Few ids have anything to decode, and there may be thousands.
  return [id.includes('%') ? decodeURIComponent(id) : id, Number(text.slice(colon + 1))]
}
