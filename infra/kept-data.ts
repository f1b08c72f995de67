import type { Construct } from 'constructs'
import { ItemTable } from './item-table.ts'
import { PrivateBucket } from './private-bucket.ts'

interface KeptData {
  readonly items: ItemTable
  readonly tables: PrivateBucket
}

/**
 * What the storage service cannot make again: its items, and the bucket of its tables, where deleted objects stay as
 * versions for so many days.
 */
export const keptData = (scope: Construct, tableVersionDays: number): KeptData => {
  const items = new ItemTable(scope, 'Items', {
    partitionKey: 'pk',
    sortKey: 'sk',
    expiryAttribute: 'expiresAt',
  })
  const tables = new PrivateBucket(scope, 'Tables', {
    traits: 'tables',
    versionDays: tableVersionDays,
  })
  return { items, tables }
}
