import pMap from 'p-map'
import { z } from 'zod'
import { type DocumentFiles, type StoredText, storedText } from '../db/document-files.ts'
import { type ItemTable, startingWith } from '../db/item-table.ts'
import { type Configuration, type Row, rowSchema, type Version, version } from './configuration.ts'

/** What a list of versions shows; the document stays where it is. */
const entry = version.omit({ content: true }).extend({
  name: z.string(),
  description: z.string(),
  isDeleted: z.boolean(),
})

export type VersionEntry = z.infer<typeof entry>

const archived = z.object({ document: storedText })

const MAX_ROW_BYTES = 300_000
const DELETES_AT_ONCE = 8

/** Ten digits, so that text order is number order. */
const padded = (number: number): string => String(number).padStart(10, '0')
const versionKey = (number: number): string => `v#${padded(number)}`
const rowKey = (rowId: string, number: number): string => `r#${rowId}#${padded(number)}`

export const entryOf = ({ version: number, changed, content }: Version): VersionEntry => ({
  version: number,
  changed,
  name: content.name,
  description: content.description,
  isDeleted: content.isDeleted,
})

/** The versions of configurations and of their rows that are no longer current. Written once, never changed. */
export const createConfigurationHistory = (items: ItemTable, documents: DocumentFiles) => {
  const partition = (internalId: string) => `CONFIG#${internalId}`

  return {
    /** Keeps the current version, and each version of a row that came with it. Harmless when it is kept. */
    async archive({ internalId, current }: Configuration, document: StoredText): Promise<void> {
      const pk = partition(internalId)
      const newRows = current.content.rows.filter(
        ({ configurationVersion }) => configurationVersion === current.version,
      )
      await pMap(
        newRows,
        async row => {
          const kept = await documents.keep(JSON.stringify(row), MAX_ROW_BYTES)
          await items.put({ pk, sk: rowKey(row.id, row.version) }, { document: kept }, 'absent')
        },
        { concurrency: DELETES_AT_ONCE },
      )
      const item = { entry: entryOf(current), document }
      await items.put({ pk, sk: versionKey(current.version) }, item, 'absent')
    },

    async get(internalId: string, number: number): Promise<Version | undefined> {
      const item = await items.get({ pk: partition(internalId), sk: versionKey(number) })
      if (!item) return undefined
      return version.parse(JSON.parse(await documents.load(archived.parse(item).document)))
    },

    /** Newest first, without their contents. */
    async *list(internalId: string): AsyncGenerator<VersionEntry> {
      const range = { ...startingWith('v#'), newestFirst: true, attributes: ['entry'] }
      for await (const item of items.query(partition(internalId), range)) yield entry.parse(item['entry'])
    },

    async getRow(internalId: string, rowId: string, number: number): Promise<Row | undefined> {
      const item = await items.get({ pk: partition(internalId), sk: rowKey(rowId, number) })
      if (!item) return undefined
      return rowSchema.parse(JSON.parse(await documents.load(archived.parse(item).document)))
    },

    /** Newest first. */
    async *listRow(internalId: string, rowId: string): AsyncGenerator<Row> {
      const range = { ...startingWith(`r#${rowId}#`), newestFirst: true }
      for await (const item of items.query(partition(internalId), range))
        yield rowSchema.parse(JSON.parse(await documents.load(archived.parse(item).document)))
    },

    async purge(internalId: string): Promise<void> {
      const pk = partition(internalId)
      const keys: string[] = []
      for await (const item of items.query(pk, { ...startingWith(''), attributes: ['sk'] }))
        keys.push(String(item['sk']))
      await pMap(keys, sk => items.delete({ pk, sk }), { concurrency: DELETES_AT_ONCE })
    },
  }
}
