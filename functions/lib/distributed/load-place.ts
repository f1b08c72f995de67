import { z } from 'zod'

/** The load of one job into one table. */
export const loadPlace = z.object({
  internalId: z.int().positive(),
  jobId: z.int().positive(),
  /** For the log lines of its steps. None: the job was started by an older version. */
  correlationId: z.string().optional(),
})
export type LoadPlace = z.infer<typeof loadPlace>

/** All objects of a load lie below it. The sweep removes those that no table has a day after the job has ended. */
export const loadPrefix = ({ internalId, jobId }: LoadPlace): string => `tables/${internalId}/${jobId}/`
