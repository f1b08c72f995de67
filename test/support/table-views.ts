import { GetObjectCommand } from '@aws-sdk/client-s3'
import { parse } from 'csv-parse/sync'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { readLiveEntries } from '#lib/iceberg/read/read-manifests.ts'
import { readRows } from './iceberg/read-rows.ts'
import { icebirdRows } from './icebird-view.ts'
import type { StorageService } from './storage-service.ts'

export type Row = Record<string, string>

/** Rows that can be compared whatever their order and that of their columns. */
export const inOrder = (rows: readonly Row[]): string[] =>
  rows.map(row => JSON.stringify(Object.entries(row).toSorted())).toSorted()

/** A row of an Iceberg reader as the API shows it: without the time of its load, and empty where a column came later. */
const asShown = ({ _timestamp, ...cells }: Record<string, unknown>): Row => {
  if (_timestamp === undefined || _timestamp === null) throw new Error('a row has no time')
  return Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, String(cell ?? '')]))
}

type Types = Record<string, string>

const timeShown = (iso: string): string => iso.replace('T', ' ').replace('Z', '')

/** A cell of an Iceberg reader as the API shows it (docs/tables.md, "Typed tables"). Times to the millisecond. */
const typedCell = (cell: unknown, type: string): unknown => {
  if (cell === null || cell === undefined) return cell
  const text = cell instanceof Date ? cell.toISOString() : String(cell)
  if (type === 'date') return text.slice(0, 10)
  if (type.startsWith('timestamp')) {
    // Ours has six digits of a second, a `Date` three.
    const time = timeShown(text).slice(0, '2026-01-31 10:00:00.000'.length)
    return type === 'timestamptz' ? `${time} +0000` : time
  }
  const scale = /^decimal\(\d+,(\d+)\)$/.exec(type)?.[1]
  return scale !== undefined && typeof cell === 'number' ? cell.toFixed(Number(scale)) : text
}

const typedRow = (row: Record<string, unknown>, types: Types): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, typedCell(cell, types[name] ?? 'string')]),
  )

/** The rows of a table as several readers see them, each in the form of {@link inOrder}. */
export const createTableViews = (service: StorageService) => {
  const readObject: ObjectReader = async location => {
    const Key = location.replace(`s3://${service.tablesBucket}/`, '')
    const { Body } = await service.s3.send(new GetObjectCommand({ Bucket: service.tablesBucket, Key }))
    if (!Body) throw new Error(`${location} has no body`)
    return Body.transformToByteArray()
  }

  const metadataOf = async (tableId: string): Promise<string> => {
    const head = await service.stores.tables.getHead(tableId)
    return `s3://${service.tablesBucket}/${head?.metadataKey}`
  }

  const typesOf = async (tableId: string): Promise<Types> => {
    const head = await service.stores.tables.getHead(tableId)
    return Object.fromEntries((head?.snapshot.fields ?? []).map(({ name, type }) => [name, type]))
  }

  /** What icebird reads from the metadata file that the head names. */
  const icebirdView = async (tableId: string): Promise<string[]> => {
    const rows = await icebirdRows(readObject, await metadataOf(tableId))
    const types = await typesOf(tableId)
    return inOrder(rows.map(row => asShown(typedRow(row, types))))
  }

  const objectText = async (location: string): Promise<string> => {
    const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(location) ?? []
    const { Body } = await service.s3.send(new GetObjectCommand({ Bucket, Key }))
    return (await Body?.transformToString()) ?? ''
  }

  /** What an export gives, with the columns of the table. */
  const exportView = async (tableId: string): Promise<string[]> => {
    const { body: job } = await service.call('POST', `/v2/storage/tables/${tableId}/export-async`, {})
    const { body: file } = await service.call(
      'GET',
      `/v2/storage/files/${job.results.file.id}?federationToken=1`,
    )
    const { entries } = (await (await fetch(file.url)).json()) as { entries: { url: string }[] }
    const slices = await Promise.all(entries.map(({ url }) => objectText(url)))
    const { columns } = (await service.call('GET', `/v2/storage/tables/${tableId}`)).body
    return inOrder(slices.flatMap(slice => parse<Row>(slice, { columns, skip_empty_lines: true })))
  }

  /** What our own reader of Iceberg reads, which shares no code with the engine. */
  const icebergView = async (tableId: string): Promise<string[]> => {
    const metadata = parseMetadata(Buffer.from(await readObject(await metadataOf(tableId))).toString('utf8'))
    const { columns, rows } = await readRows(readObject, metadata)
    const types = await typesOf(tableId)
    const rowOf = (cells: unknown[]) => Object.fromEntries(columns.map((name, index) => [name, cells[index]]))
    return inOrder(rows.map(cells => asShown(typedRow(rowOf(cells), types))))
  }

  /** Each snapshot as who travels in time or reads increments meets it, the oldest first. */
  const history = async (tableId: string) => {
    const metadata = parseMetadata(Buffer.from(await readObject(await metadataOf(tableId))).toString('utf8'))
    return Promise.all(
      metadata.snapshots.map(async snapshot => {
        const id = snapshot['snapshot-id']
        const { columns, rows } = await readRows(readObject, { ...metadata, 'current-snapshot-id': id })
        const entries = await readLiveEntries(readObject, snapshot)
        const added = entries.filter(({ snapshotId, file }) => snapshotId === id && file.content === 'data')
        return {
          operation: snapshot.summary['operation'],
          sequence: snapshot['sequence-number'],
          timeMs: snapshot['timestamp-ms'],
          rows: rows.length,
          first: columns.length === 0 ? [] : rows.map(([cell]) => String(cell)).toSorted(),
          addedRows: added.reduce((sum, { file }) => sum + file.rows, 0),
        }
      }),
    )
  }

  return { icebirdView, exportView, icebergView, history }
}
