import * as z from 'zod/mini'
import { warnedFields } from './configuration-body.ts'
import { described, wireDateText } from './fields.ts'

/** A schedule, as the service `scheduler` shows it. */
export const scheduleBody = z
  .object({
    id: z.string(),
    tokenId: z.string(),
    configurationId: z.string(),
    configurationVersionId: z.string(),
    schedule: z.object({ cronTab: z.string(), timezone: z.string(), state: z.string() }),
    target: z.object({ componentId: z.string(), configurationId: z.string(), mode: z.string() }),
    executions: z.array(z.object({ jobId: z.string(), executionTime: z.string() })),
    nextTimes: z.array(wireDateText).register(described, {
      description: 'Ours: when it is due next, five times at most; none while it is switched off',
    }),
    lastTime: z.nullable(wireDateText),
    ...warnedFields,
  })
  .register(described, { id: 'Schedule' })

export type ScheduleBody = z.infer<typeof scheduleBody>
