import { UserError } from '../../lib/errors/errors.ts'
import type { Services } from '../services/services.ts'

type Counted = Pick<Services, 'counts' | 'quotas'>

const DAY = { minutes: 24 * 60 }

/** Counts an event of a client. Error: 403 `storage.quotaExceeded`. */
export const countEvent = async ({ counts, quotas }: Counted): Promise<void> => {
  const { eventsPerDay: most } = quotas
  if (!(await counts.take('events of a day', { ...DAY, most })))
    throw exceeded('eventsPerDay', most, 'events were made within a day')
}

/** Counts a file and the bytes that it is said to have. Error: 403 `storage.quotaExceeded`. */
export const countFile = async (sizeBytes: number, { counts, quotas }: Counted): Promise<void> => {
  const { filesPerDay, fileBytesPerDay } = quotas
  if (!(await counts.take('files of a day', { ...DAY, most: filesPerDay })))
    throw exceeded('filesPerDay', filesPerDay, 'files were made within a day')
  if (!(await counts.take('bytes of a day', { ...DAY, most: fileBytesPerDay }, sizeBytes)))
    throw exceeded('fileBytesPerDay', fileBytesPerDay, 'bytes of files were uploaded within a day')
}

/** Error: 403 `storage.quotaExceeded` when the bucket has as many tables as it may. */
export const refuseTableOverQuota = async (
  bucketId: string,
  { totals, quotas: { tablesPerBucket } }: Pick<Services, 'totals' | 'quotas'>,
): Promise<void> => {
  if ((await totals.of(bucketId)).tablesCount >= tablesPerBucket)
    throw exceeded('tablesPerBucket', tablesPerBucket, `tables are in the bucket "${bucketId}"`)
}

/** Error: 403 `storage.quotaExceeded` when the component has as many configurations as it may. */
export const refuseConfigurationOverQuota = async (
  place: { branchId: number; componentId: string },
  { configurations, quotas: { configurationsPerComponent } }: Pick<Services, 'configurations' | 'quotas'>,
): Promise<void> => {
  if ((await configurations.count(place, configurationsPerComponent)) >= configurationsPerComponent)
    throw exceeded(
      'configurationsPerComponent',
      configurationsPerComponent,
      `configurations are in the component "${place.componentId}", those of the trash included`,
    )
}

/** Error: 403 `storage.quotaExceeded` when the table has as many kept snapshots as it may. */
export const refuseSnapshotOverQuota = async (
  tableId: string,
  { snapshots, quotas: { snapshotsPerTable } }: Pick<Services, 'snapshots' | 'quotas'>,
): Promise<void> => {
  if ((await snapshots.countOf(tableId, snapshotsPerTable)) >= snapshotsPerTable)
    throw exceeded('snapshotsPerTable', snapshotsPerTable, `snapshots of the table "${tableId}" are kept`)
}

const exceeded = (setting: keyof Services['quotas'], most: number, what: string): UserError =>
  new UserError(
    'storage.quotaExceeded',
    `${most} ${what}, and more are not allowed here. Delete what is not needed or wait; who deployed the service can raise "${setting}".`,
  )
