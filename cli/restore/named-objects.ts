import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { documentPrefix } from '../../functions/lib/storage/db/document-prefix.ts'
import { createTableContents } from '../../functions/lib/storage/tables/content/table-contents.ts'
import type { FormerObjects } from './former-objects.ts'
import { pagesOf, type StoredItem } from './item-copies.ts'

interface Lost {
  /** The item that names it. */
  by: string
  key: string
  reason: string
}

export interface NamedObjects {
  /** Number of objects that items name. */
  named: number
  /** Keys of those that are deleted and can come back. */
  former: string[]
  lost: Lost[]
}

interface Checked {
  dynamo: DynamoDBClient
  s3: S3Client
  itemTable: string
  tablesBucket: string
  former: FormerObjects
}

/**
 * Looks for each object that an item names: the files, lists and metadata of all snapshots of each table in each branch, those of
 * kept snapshots, and long texts. `s3` reads deleted objects as they were.
 */
export const checkNames = async ({
  dynamo,
  s3,
  itemTable,
  tablesBucket,
  former,
}: Checked): Promise<NamedObjects> => {
  // How long snapshots are kept matters to writers only.
  const contents = createTableContents({ s3, tablesBucket, snapshotRetentionDays: 1 })
  const named = new Set<string>()
  const found: NamedObjects = { named: 0, former: [], lost: [] }
  const check = (by: string, key: string): void => {
    if (named.has(key)) return
    named.add(key)
    if (former.present.has(key)) return
    if (former.deleted.has(key)) found.former.push(key)
    else found.lost.push({ by, key, reason: 'no version is left' })
  }
  for await (const page of pagesOf(dynamo, itemTable))
    for (const item of page) {
      const by = nameOf(item)
      for (const key of keysIn(item)) check(by, key)
      const list = item['filesKey']?.S
      const metadata = item['metadataKey']?.S
      try {
        if (list !== undefined) for (const key of await keysOfList(s3, tablesBucket, list)) check(by, key)
        if (metadata !== undefined) for await (const key of contents.namedKeys(metadata)) check(by, key)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        found.lost.push({
          by,
          key: metadata ?? list ?? '',
          reason: `what it names cannot be read: ${reason}`,
        })
      }
    }
  return { ...found, named: named.size }
}

const nameOf = ({ pk, sk, bucketId, name }: StoredItem): string =>
  bucketId?.S !== undefined && name?.S !== undefined
    ? `${bucketId.S}.${name.S}`
    : `the item ${pk?.S} ${sk?.S}`

const tableFile = z.object({ key: z.string(), deletes: z.object({ key: z.string() }).optional() })

/** The list of files of a kept snapshot. */
const keysOfList = async (s3: S3Client, Bucket: string, Key: string): Promise<string[]> => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
  const files = z.array(tableFile).parse(JSON.parse((await Body?.transformToString()) ?? '[]'))
  return files.flatMap(({ key, deletes }) => (deletes ? [key, deletes.key] : [key]))
}

/** Keys that an item itself holds: of its metadata, its list or its files, and of long texts at any depth. */
const keysIn = (item: StoredItem): string[] => {
  const own = [item['metadataKey']?.S, item['filesKey']?.S].filter(key => key !== undefined)
  const files = item['snapshot']?.M?.['files']?.L ?? []
  const ofFiles = files.flatMap(({ M: file = {} }) => [file['key']?.S, file['deletes']?.M?.['key']?.S])
  const texts = Object.values(item)
    .flatMap(textsIn)
    .filter(text => text.startsWith(documentPrefix))
  return [...own, ...ofFiles.filter(key => key !== undefined), ...texts]
}

const textsIn = (value: AttributeValue): string[] => {
  if (value.S !== undefined) return [value.S]
  return [...(value.L ?? []), ...Object.values(value.M ?? {})].flatMap(textsIn)
}
