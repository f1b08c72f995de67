import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { createTableContents } from '../functions/lib/storage/tables/content/table-contents.ts'

/**
 * Brings back the deleted objects of tables, and items of another time: docs/backup.md says when, and what to stop first.
 *
 *   node docs/restore.ts --item-table ItemTable --tables-bucket TablesBucket [--items TABLE] [--apply]
 *
 * Every object under `tables/` and `documents/` of which a version is left becomes the object again; what nothing names the
 * sweep deletes once more, a day later at the earliest. With `--items` all items become those of that table. Without
 * `--apply` nothing is changed. Prints a report as JSON; exit code 1 when an item names an object that is lost for good.
 */
const { values } = parseArgs({
  options: {
    'item-table': { type: 'string' },
    'tables-bucket': { type: 'string' },
    items: { type: 'string' },
    apply: { type: 'boolean', default: false },
  },
})
const { 'item-table': itemTable, 'tables-bucket': bucket, items: source, apply } = values
if (itemTable === undefined || bucket === undefined)
  throw new Error('Give --item-table and --tables-bucket, two outputs of the stack.')
if (source === itemTable) throw new Error(`${source} is the table of the stack itself.`)

const dynamo = new DynamoDBClient({})
const s3 = new S3Client({ forcePathStyle: true })
// How long snapshots are kept matters to writers only.
const contents = createTableContents({ s3, tablesBucket: bucket, snapshotRetentionDays: 1 })

type StoredItem = Record<string, AttributeValue>
const keyOf = ({ pk, sk }: StoredItem): string => JSON.stringify([pk?.S, sk?.S])

async function* pagesOf(TableName: string): AsyncGenerator<StoredItem[]> {
  for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName, ConsistentRead: true }))
    yield Items
}

/** Keys of the objects that are there, and the delete markers above those that were. Some hundred bytes each. */
const findObjects = async () => {
  const present = new Set<string>()
  const withVersion = new Set<string>()
  const markers = new Map<string, string[]>()
  for (const Prefix of ['tables/', 'documents/']) {
    let next: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}
    while (next) {
      const page: Awaited<ReturnType<typeof listVersions>> = await listVersions(Prefix, next)
      for (const { Key = '', VersionId = '' } of page.DeleteMarkers ?? [])
        markers.set(Key, [...(markers.get(Key) ?? []), VersionId])
      for (const { Key = '', IsLatest } of page.Versions ?? []) (IsLatest ? present : withVersion).add(Key)
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
        : undefined
    }
  }
  const deleted = [...withVersion].filter(key => !present.has(key))
  return { present, deleted, markersOf: (key: string) => markers.get(key) ?? [] }
}

const listVersions = (Prefix: string, from: object) =>
  s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix, ...from }))

function* inBatches<Entry>(entries: readonly Entry[], size: number): Generator<Entry[]> {
  for (let from = 0; from < entries.length; from += size) yield entries.slice(from, from + size)
}

const deleteMarkers = async (markers: { Key: string; VersionId: string }[]): Promise<void> => {
  for (const Objects of inBatches(markers, 1000)) {
    const { Errors: [first] = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    )
    if (first) throw new Error(`${first.Key} could not be brought back: ${first.Code}`)
  }
}

const writeAll = async (writes: readonly WriteRequest[]): Promise<void> => {
  for (const batch of inBatches(writes, 25))
    for (let left = batch, attempt = 0; left.length > 0; attempt++) {
      if (attempt === 10) throw new Error('DynamoDB takes no more items now. Run this again.')
      if (attempt > 0) await sleep(Math.random() * 100 * 2 ** attempt)
      const reply = await dynamo.send(new BatchWriteItemCommand({ RequestItems: { [itemTable]: left } }))
      left = reply.UnprocessedItems?.[itemTable] ?? []
    }
}

/** Makes all items those of another table. One that is cut off may be repeated. */
const copyItems = async (from: string): Promise<{ written: number; deleted: number }> => {
  const needless = new Map<string, StoredItem>()
  for await (const page of pagesOf(itemTable))
    for (const { pk, sk } of page) if (pk && sk) needless.set(keyOf({ pk, sk }), { pk, sk })
  let written = 0
  for await (const page of pagesOf(from)) {
    for (const item of page) needless.delete(keyOf(item))
    written += page.length
    if (apply) await writeAll(page.map(Item => ({ PutRequest: { Item } })))
  }
  if (apply) await writeAll([...needless.values()].map(Key => ({ DeleteRequest: { Key } })))
  return { written, deleted: needless.size }
}

const textsIn = ({ S, L = [], M = {} }: AttributeValue): string[] =>
  S === undefined ? [...L, ...Object.values(M)].flatMap(textsIn) : [S]

/** Keys of the objects that an item names, those of all snapshots of a table too. */
async function* namedBy(item: StoredItem): AsyncGenerator<string> {
  for (const text of Object.values(item).flatMap(textsIn)) if (/^(tables|documents)\/./.test(text)) yield text
  const metadata = item['metadataKey']?.S
  if (metadata !== undefined) yield* contents.namedKeys(metadata)
}

/** What the items name and nobody can read any more, with one of the items that name it. */
const findLost = async (present: ReadonlySet<string>): Promise<{ key: string; by: string }[]> => {
  const lost = new Map<string, string>()
  for await (const page of pagesOf(itemTable))
    for (const item of page)
      try {
        for await (const key of namedBy(item)) if (!present.has(key)) lost.set(key, keyOf(item))
      } catch (error) {
        lost.set(`what its metadata names: ${error}`, keyOf(item))
      }
  return Array.from(lost, ([key, by]) => ({ key, by }))
}

const { present, deleted, markersOf } = await findObjects()
if (apply) await deleteMarkers(deleted.flatMap(Key => markersOf(Key).map(VersionId => ({ Key, VersionId }))))
const items = source === undefined ? undefined : await copyItems(source)
const lost = apply ? await findLost(new Set([...present, ...deleted])) : undefined
console.log(JSON.stringify({ applied: apply, broughtBack: deleted, items, lost }, null, 2))
process.exitCode = lost?.length ? 1 : 0
