import type { SnapshotRecord } from '../../lib/storage/snapshots/snapshot-store.ts'
import { wireDate, wireDateOrNull } from '../../lib/storage/wire-date.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'

/** The kept snapshot on the wire, with the table as it was. */
export const snapshotResource = ({
  id,
  createdTime,
  description,
  creatorToken,
  table,
  snapshot,
}: SnapshotRecord) => ({
  id,
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
