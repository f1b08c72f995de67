import * as z from 'zod'

/** `silence` of `config` or of a job (docs/reference/extractor-jobs.md#silence). Ours. */
export const Silence = z.enum(['warn', 'fail', 'allow'])

export type Silence = z.output<typeof Silence>
