import type { SweepServices } from '#functions/sweep-storage/page.ts'
import { type PageSizes, pageSizes } from '#functions/sweep-storage/page.ts'
import { type SweepKind, sweepKinds } from '#functions/sweep-storage/sweep-kinds.ts'
import { sweepStorage } from '#functions/sweep-storage/sweep-storage.ts'
import { asFunction } from './guard-writes.ts'
import type { StorageService } from './storage-service.ts'

type Given = Omit<SweepServices, 'pageSizes'> & { pageSizes?: PageSizes }

/** The same of a service of the tests. */
export const sweepService = (service: StorageService, now: () => Date): Promise<Record<SweepKind, number>> =>
  sweepAll({
    ...service.stores,
    s3: service.s3,
    filesBucket: service.filesBucket,
    tablesBucket: service.tablesBucket,
    now,
    log: service.jobServices.log,
  })

/** What the schedules do in six hours: each kind once, to its end. Resolves to what went, by kind. */
export const sweepAll = async (services: Given): Promise<Record<SweepKind, number>> => {
  const counts: Partial<Record<SweepKind, number>> = {}
  for (const kind of sweepKinds)
    counts[kind] = (
      await asFunction('sweep-storage', () => sweepStorage(kind, { pageSizes, ...services }, () => false))
    ).swept
  return counts as Record<SweepKind, number> // Each kind was counted.
}
