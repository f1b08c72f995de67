import * as z from 'zod/mini'

/** What the project may have, or make within a day. Generous: they are for what runs wild. */
export const quotas = z.object({
  filesPerDay: z.number(),
  /** As their uploads say. */
  fileBytesPerDay: z.number(),
  /** Of clients; those that the service makes itself do not count. */
  eventsPerDay: z.number(),
  tablesPerBucket: z.number(),
  /** In one branch. */
  configurationsPerComponent: z.number(),
  snapshotsPerTable: z.number(),
})

export type Quotas = z.infer<typeof quotas>

export const generousQuotas: Quotas = {
  filesPerDay: 1_000_000,
  fileBytesPerDay: 100 * 1024 ** 4,
  eventsPerDay: 1_000_000,
  tablesPerBucket: 10_000,
  configurationsPerComponent: 10_000,
  snapshotsPerTable: 1_000,
}
