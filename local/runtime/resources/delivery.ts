import { z } from 'zod'
import { withoutMeaningHere } from './resource-type.ts'

/** Retries of a target of a rule or a schedule, and the dead-letter queue for what could not be delivered. */
export const delivery = {
  RetryPolicy: z
    .strictObject({
      MaximumRetryAttempts: z.coerce.number().int().min(0).max(185).default(185),
      MaximumEventAgeInSeconds: withoutMeaningHere(
        'a target in the same process is reached at once or not at all',
      ),
    })
    .optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
}
