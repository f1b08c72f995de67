import { LRUCache } from 'lru-cache'
import pMap from 'p-map'
import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { type Item, type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { CleanUps, Left } from '../db/clean-ups.ts'
import { type DocumentFiles, storedText } from '../db/document-files.ts'
import { metadataPartition, metadataSubject } from '../metadata/metadata-store.ts'
import { content, type Row, rowSchema, type Version, version } from './configuration.ts'

/**
 * A version of a row, and the state of the row where it has one. The digests are those of their texts, under which they
 * lie: so two writers who make a version of one number at the same time make two documents, and the head names one.
 */
export interface Reference {
  id: string
  version: number
  digest: string
  /** Digest. */
  state?: string | undefined
}

/** What a list of versions shows, without the document. */
const entry = version.omit({ content: true }).extend({
  name: z.string(),
  description: z.string(),
  isDeleted: z.boolean(),
})
export type VersionEntry = z.infer<typeof entry>

/** A text that never changes. `before`: of a version of a row, the digest of the one before. */
export interface ConfigurationDocument {
  sk: string
  text: string
  entry?: VersionEntry
  before?: string | undefined
}

const storedDocument = z.object({ sk: z.string(), document: storedText, before: z.string().optional() })

const MAX_TEXT_BYTES = 300_000
const REQUESTS_AT_ONCE = 8
// Of each kind. About thirty configurations of 900 rows.
const CACHED_BYTES = 16_000_000
/** With the rest of what one change writes. */
const MOST_TOGETHER = 10

const partition = (internalId: string): string => `CONFIG#${internalId}`

/** What there is of a configuration beside its head. */
export const partsOf = (configuration: { internalId: string }): Left => ({
  partitions: [
    partition(configuration.internalId),
    metadataPartition(metadataSubject.configuration(configuration)),
  ],
})

/**
 * The documents of configurations: each version, each version of a row, the state of each row. They are written with the first head that
 * names them, or before it.
 */
export const createConfigurationDocuments = (items: ItemTable, files: DocumentFiles, cleanUps: CleanUps) => {
  const read = async (item: Item) => {
    const { document, ...parts } = storedDocument.parse(item)
    return { ...parts, text: await files.load(document) }
  }

  /** By their keys. Missing ones are left out. */
  const loading = <Value extends object | string>(parse: (text: string) => Value) => {
    const cache = new LRUCache<string, Value>({ maxSize: CACHED_BYTES })
    return async (internalId: string, wanted: readonly string[]): Promise<Map<string, Value>> => {
      const pk = partition(internalId)
      const found = new Map<string, Value>()
      const missing: string[] = []
      for (const sk of wanted) {
        const value = cache.get(`${pk} ${sk}`)
        if (value === undefined) missing.push(sk)
        else found.set(sk, value)
      }
      if (missing.length === 0) return found
      const add = async (item: Item): Promise<void> => {
        const { sk, text } = await read(item)
        const value = parse(text)
        cache.set(`${pk} ${sk}`, value, { size: text.length })
        found.set(sk, value)
      }
      const stored = await items.getMany(missing.map(sk => ({ pk, sk })))
      await pMap(stored, add, { concurrency: REQUESTS_AT_ONCE })
      return found
    }
  }
  const loadRows = loading(text => rowSchema.parse(parseJson(text)))
  const loadVersions = loading(text => storedVersion.parse(parseJson(text)))

  return {
    loadStates: loading(text => text),

    /** Undefined when it, or a row of it, is missing. */
    async version(internalId: string, number: number): Promise<Version | undefined> {
      const sk = versionKey(number)
      const stored = (await loadVersions(internalId, [sk])).get(sk)
      if (!stored) return undefined
      const { rows: references, ...rest } = stored.content
      const loaded = await loadRows(internalId, references.map(rowKey))
      const rows = references.flatMap(row => loaded.get(rowKey(row)) ?? [])
      return rows.length < references.length ? undefined : { ...stored, content: { ...rest, rows } }
    },

    /** Its versions, newest first, without their contents. */
    async *list(internalId: string): AsyncGenerator<VersionEntry> {
      const range = { ...startingWith('v#'), newestFirst: true, attributes: ['entry'] }
      for await (const item of items.query(partition(internalId), range)) yield entry.parse(item['entry'])
    },

    /** The versions of a row, newest first, from this one on. Others under the same numbers were never decided. */
    async *listRow(internalId: string, { id, version, digest }: Reference): AsyncGenerator<Row> {
      const { from } = startingWith(`r#${id}#`)
      const { to } = startingWith(rowKey({ id, version, digest: '' }))
      let next: string | undefined = digest
      for await (const item of items.query(partition(internalId), { from, to, newestFirst: true })) {
        if (next === undefined || !String(item['sk']).endsWith(`#${next}`)) continue
        const { text, before } = await read(item)
        yield rowSchema.parse(parseJson(text))
        next = before
      }
    },

    /**
     * The writes of documents. More than a transaction has room for are written at once, while nothing names them. Of a configuration
     * that is new they are cleared away unless it is decided, of another one with all that there is of it.
     */
    async writing(
      internalId: string,
      all: readonly ConfigurationDocument[],
      isNew: boolean,
    ): Promise<ItemWrite[]> {
      const keep = async ({ sk, text, ...parts }: ConfigurationDocument) => ({
        key: { pk: partition(internalId), sk },
        item: { ...parts, document: await files.keep(text, MAX_TEXT_BYTES) },
      })
      const kept = await pMap(all, keep, { concurrency: REQUESTS_AT_ONCE })
      if (kept.length <= MOST_TOGETHER) return kept.map(document => ({ action: 'put', ...document }))
      const parts = partsOf({ internalId })
      if (isNew) await cleanUps.unlessDecided(parts)
      await items.putAll(kept.map(({ key, item }) => ({ ...item, ...key })))
      return isNew ? [cleanUps.decided(parts)] : []
    },

    forgetting: (internalId: string, sk: string): ItemWrite => ({
      action: 'delete',
      key: { pk: partition(internalId), sk },
    }),
  }
}

export type ConfigurationDocuments = ReturnType<typeof createConfigurationDocuments>

/** Ten digits, so that text order is number order. */
const paddedNumber = (number: number): string => String(number).padStart(10, '0')
const versionKey = (number: number): string => `v#${paddedNumber(number)}`
const rowKey = ({ id, version, digest }: Reference): string => `r#${id}#${paddedNumber(version)}#${digest}`
export const stateKey = (id: string, digest: string): string => `s#${id}#${digest}`

const DIGITS = 12
export const digestOf = (text: string): string => hexDigest(text, DIGITS)

/** The document of a version of a row that is new, and the reference to it. */
export const rowDocument = (
  row: Row,
  before: string | undefined,
): { digest: string; document: ConfigurationDocument } => {
  const text = JSON.stringify(row)
  const digest = digestOf(`${before} ${text}`)
  return { digest, document: { sk: rowKey({ ...row, digest }), text, before } }
}

export const versionDocument = (
  { content: { rows, ...content }, ...version }: Version,
  references: readonly Reference[],
): ConfigurationDocument => {
  const { name, description, isDeleted } = content
  const byId = new Map(references.map(({ state: _, ...row }) => [row.id, row]))
  const named = formatReferences(rows.flatMap(({ id }) => byId.get(id) ?? []))
  return {
    sk: versionKey(version.version),
    entry: { ...version, name, description, isDeleted },
    text: JSON.stringify({ ...version, content: { ...content, rows: named } }),
  }
}

/**
 * References as one text: `first:3:4f… second:1:09…`. Each change of a configuration reads and writes up to a
 * thousand of them, several times faster than as JSON arrays. Colons and spaces of an id are escaped as in an address.
 */
export const formatReferences = (references: readonly Reference[]): string =>
  references
    .map(({ id, version, digest, state }) =>
      [encodeURIComponent(id), version, digest, ...(state === undefined ? [] : [state])].join(':'),
    )
    .join(' ')

export const parseReferences = (text: string): Reference[] =>
  text === '' ? [] : text.split(' ').map(parseReference)

const parseReference = (text: string): Reference => {
  const [id = '', version, digest = '', state] = text.split(':')
  // Few ids have anything to decode, and there may be thousands.
  return { id: id.includes('%') ? decodeURIComponent(id) : id, version: Number(version), digest, state }
}

/** A version as it is stored, which refers to its rows. */
const storedVersion = version.extend({
  content: content.extend({ rows: z.string().transform(parseReferences) }),
})
