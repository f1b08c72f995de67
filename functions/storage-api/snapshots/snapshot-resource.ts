import type { SnapshotRecord } from '../../lib/storage/snapshots/snapshot-store.ts'
import { wireDate, wireDateOrNull } from '../../lib/storage/wire-date.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'

/**
 * The kept snapshot on the wire, with the table as it was. Clients expect a file with its data: `dataFileId` is the
 * snapshot's own id, because its data are files of the table and no file resource.
 */
export const snapshotResource = (
  { id, createdTime, description, creatorToken, table, snapshot }: SnapshotRecord,
  baseUrl: string,
) => ({
  id: String(id),
  type: 'table',
  uri: `${baseUrl}/v2/storage/snapshots/${id}`,
  dataFileId: String(id),
  createdTime: wireDate(createdTime),
  description,
  creatorToken: { id: Number(creatorToken.id), description: creatorToken.description },
  dataSizeBytes: snapshot.dataSizeBytes,
  rowsCount: snapshot.rowsCount,
  table: {
    id: table.id,
    name: table.name,
    displayName: table.displayName,
    primaryKey: snapshot.primaryKey,
    created: wireDate(table.created),
    lastImportDate: wireDateOrNull(table.lastImportDate),
    lastChangeDate: wireDateOrNull(table.lastChangeDate),
    rowsCount: snapshot.rowsCount,
    dataSizeBytes: snapshot.dataSizeBytes,
    isAlias: false,
    columns: columnNames(snapshot),
    attributes: [],
  },
})
