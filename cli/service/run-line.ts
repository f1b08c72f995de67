import { z } from 'zod'

/** A run of a configuration (docs/reference/storage-api.md#runs). */
export const run = z.looseObject({
  id: z.string(),
  componentId: z.string(),
  configId: z.string(),
  trigger: z.string().nullable(),
  status: z.string(),
  startTime: z.string(),
  endTime: z.string().nullable(),
  durationSeconds: z.number().nullable(),
  rowsLoaded: z.number().nullable(),
  requests: z.number().nullable(),
  results: z.unknown(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
