import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { digestUuid } from '#lib/iceberg/commit/object-name.ts'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import { formatMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import {
  isTypedTable,
  LOAD_ORDER,
  type Snapshot,
  type TableFile,
  withFiles,
} from '#lib/table-engine/files/snapshot.ts'
import { filesChange, icebergFields } from './file-entries.ts'
import { createMetadataStore } from './metadata-store.ts'

/** How an engine writes the fork. Each file of rows has one file of deletes, as tables here have; nothing is cleaned up. */
const PROPERTIES = {
  'write.merge.mode': 'merge-on-read',
  'write.delete.granularity': 'file',
  // What reads a column of a file reads all of it.
  'write.target-file-size-bytes': String(16 * 1024 * 1024),
  'write.metadata.metrics.default': 'truncate(16)',
  'gc.enabled': 'false',
}

/** What the engine's script says when it has come to its end: how many staged rows a later one of their key replaces. */
const REPLACED = 'millrace.replaced'
const count = z.coerce.number().int().min(0)

interface ForkRequest {
  /** Folder of the fork, with a slash at its end. Nothing else lies below it. */
  prefix: string
  /** The table with its columns and files. */
  table: Snapshot
  /** Rows of a load with the columns of `LOAD_ORDER`. */
  staged: readonly TableFile[]
  timeMs: number
  /** What the engine runs. */
  script: Uint8Array
}

/** Content of a table that an engine has made. */
export interface MergedFork {
  files: TableFile[]
  replacedRowsCount: number
}

/**
 * Copies of a table's metadata that an engine commits to, beside the rows to merge: tables `fork.rows` and `staged.rows` of
 * Iceberg's Hadoop catalog, whose only system of record are files (`metadata/v1.metadata.json`, `version-hint.text`). The table
 * itself sees nothing of it.
 */
export const createMergeForks = (s3: S3Client, tablesBucket: string) => {
  const { objects, load, filesOf } = createMetadataStore({ s3, tablesBucket, snapshotRetentionDays: 1 })

  const hintOf = (folder: string) => ({ Bucket: tablesBucket, Key: `${folder}metadata/version-hint.text` })

  const writeTable = async (
    folder: string,
    { table, fields, timeMs }: { table: Snapshot; fields: NestedField[]; timeMs: number },
  ): Promise<void> => {
    const { objects: planned, metadata } = await planCommit({
      read: objects.read,
      base: { uuid: digestUuid(folder), location: objects.locationOf(folder.slice(0, -1)) },
      change: {
        ...filesChange({ data: new Set(), deletes: new Set() }, table, objects),
        fields,
        lastColumnId: table.lastFieldId,
        properties: PROPERTIES,
      },
      commitId: folder,
      timeMs,
    })
    const first = {
      location: objects.locationOf(`${folder}metadata/v1.metadata.json`),
      content: Buffer.from(formatMetadata(metadata)),
    }
    // In place of the last one, which has a name that this catalog does not know.
    await objects.write([...planned.slice(0, -1), first])
    await s3.send(new PutObjectCommand({ ...hintOf(folder), Body: '1' }))
  }

  /** S3 locations of the script, of what it is told of the table, and of the tables. */
  const placeOf = (prefix: string) => ({
    script: objects.locationOf(`${prefix}merge-rows.py`),
    argument: objects.locationOf(`${prefix}merge-rows.json`),
    warehouse: objects.locationOf(prefix.slice(0, -1)),
  })

  return {
    placeOf,

    /** Repeated, it writes the same. Only before the engine is started: its commits would be hidden. */
    async write({ prefix, table, staged, timeMs, script }: ForkRequest): Promise<void> {
      const place = placeOf(prefix)
      await objects.write([
        { location: place.script, content: script },
        { location: place.argument, content: Buffer.from(argumentOf(table)) },
      ])
      const fields = icebergFields(table.fields)
      const order = LOAD_ORDER.map(column => ({ ...column, required: true }))
      await writeTable(`${prefix}fork/rows/`, { table, fields, timeMs })
      const rows = withFiles(table, [...staged])
      await writeTable(`${prefix}staged/rows/`, { table: rows, fields: [...fields, ...order], timeMs })
    },

    /** What the engine has committed to this very fork. `undefined`: it has not come to its end. */
    async find(prefix: string): Promise<MergedFork | undefined> {
      const folder = `${prefix}fork/rows/`
      const hint = await s3.send(new GetObjectCommand(hintOf(folder))).catch((error: unknown) => {
        if (error instanceof NoSuchKey) return undefined
        throw error
      })
      const version = (await hint?.Body?.transformToString())?.trim()
      if (version === undefined || version === '1') return undefined
      const metadata = await load(`${folder}metadata/v${version}.metadata.json`)
      const replaced = metadata.properties[REPLACED]
      if (replaced === undefined || !isOnTopOf(metadata, await load(`${folder}metadata/v1.metadata.json`)))
        return undefined
      return { files: await filesOf(metadata), replacedRowsCount: count.parse(replaced) }
    },

    locationOf: objects.locationOf,
  }
}

/** Of one table, whose id is that of the fork and so of its job, with what was forked among what came before. */
const isOnTopOf = (metadata: TableMetadata, forked: TableMetadata): boolean => {
  const parents = new Map(metadata.snapshots.map(one => [one['snapshot-id'], one['parent-snapshot-id']]))
  const root = forked['current-snapshot-id']
  let id = metadata['current-snapshot-id']
  while (id !== undefined && id !== root) id = parents.get(id)
  return id === root && metadata['table-uuid'] === forked['table-uuid']
}

export type MergeForks = ReturnType<typeof createMergeForks>

const argumentOf = (table: Snapshot): string =>
  JSON.stringify({
    columns: table.fields.map(({ name }) => name),
    key: table.primaryKey,
    isText: !isTypedTable(table),
  })
