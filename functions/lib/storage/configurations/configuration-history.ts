import pMap from 'p-map'
import { z } from 'zod'
import { type ItemTable, startingWith } from '../../items/item-table.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { Reference } from '../db/document-cache.ts'
import { type DocumentFiles, type StoredText, storedText } from '../db/document-files.ts'
import { paddedNumber } from '../db/padded-number.ts'
import { content, type Row, type Version, version } from './configuration.ts'
import { formatReferences, parseReferences, type RowDocuments } from './row-documents.ts'

const referenceTo = ({ id, version: number }: Row): Reference => [id, number]

/** Reads a stored version, which refers to its rows. */
const storedContent = content.extend({ rows: z.string().transform(parseReferences) })
export const storedVersion = version.extend({ content: storedContent })
type VersionOfReferences = z.infer<typeof storedVersion>

export const versionText = ({ content: { rows, ...rest }, ...parts }: Version): string =>
  JSON.stringify({ ...parts, content: { ...rest, rows: formatReferences(rows.map(referenceTo)) } })

/** The version with its rows. Undefined when a row is missing. */
export const completeVersion = (
  { content: { rows, ...rest }, ...parts }: VersionOfReferences,
  rowsById: ReadonlyMap<string, Row>,
): Version | undefined => {
  const complete = rows.flatMap(([id]) => rowsById.get(id) ?? [])
  return complete.length < rows.length ? undefined : { ...parts, content: { ...rest, rows: complete } }
}

/** What a list of versions shows, without the document. */
const entry = version.omit({ content: true }).extend({
  name: z.string(),
  description: z.string(),
  isDeleted: z.boolean(),
})

export type VersionEntry = z.infer<typeof entry>

const archived = z.object({ entry, document: storedText })

const DELETES_AT_ONCE = 8

const versionKey = (number: number): string => `v#${paddedNumber(number)}`

export const entryOf = ({ version: number, changed, content }: Version): VersionEntry => ({
  version: number,
  changed,
  name: content.name,
  description: content.description,
  isDeleted: content.isDeleted,
})

interface HistoryOptions {
  items: ItemTable
  documents: DocumentFiles
  rows: RowDocuments
}

/** The past versions of configurations and of their rows. Written once, never changed. */
export const createConfigurationHistory = ({ items, documents, rows }: HistoryOptions) => {
  const partition = (internalId: string) => `CONFIG#${internalId}`

  const find = async (internalId: string, number: number) => {
    const item = await items.get({ pk: partition(internalId), sk: versionKey(number) })
    return item && archived.parse(item)
  }

  return {
    /** Idempotent. `document`: the version as it is stored. Its rows are written before or after. */
    async archive(internalId: string, version: Version, document: StoredText): Promise<void> {
      const key = { pk: partition(internalId), sk: versionKey(version.version) }
      await items.put(key, { entry: entryOf(version), document }, 'absent')
    },

    async get(internalId: string, number: number): Promise<Version | undefined> {
      const found = await find(internalId, number)
      if (!found) return undefined
      const version = storedVersion.parse(parseJson(await documents.load(found.document)))
      return completeVersion(version, await rows.loadRows(internalId, version.content.rows))
    },

    /** Newest first, without their contents. */
    async *list(internalId: string): AsyncGenerator<VersionEntry> {
      const range = { ...startingWith('v#'), newestFirst: true, attributes: ['entry'] }
      for await (const item of items.query(partition(internalId), range)) yield entry.parse(item['entry'])
    },

    getRow: rows.get,

    /** Newest first. */
    listRow: rows.list,

    async purge(internalId: string): Promise<void> {
      const pk = partition(internalId)
      const keys: string[] = []
      for await (const item of items.query(pk, { ...startingWith(''), attributes: ['sk'] }))
        keys.push(String(item['sk']))
      await pMap(keys, sk => items.delete({ pk, sk }), { concurrency: DELETES_AT_ONCE })
    },
  }
}
