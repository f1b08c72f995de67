import { PutObjectCommand } from '@aws-sdk/client-s3'
import { note } from './book.ts'
import { once, s3Of, untilAcknowledged } from './client.ts'
import type { Attempt, Load, TableRow } from './model.ts'
import { appendRows, csvOf, isFullOf, keyedRows, markOf } from './rows.ts'
import type { Step } from './schedule.ts'
import type { StepContext } from './step-context.ts'

interface Landing {
  readonly key: string
  readonly metadata: Record<string, string>
  readonly rowsOf: (mark: string) => TableRow[]
  /** Notes the attempt before it is made. */
  readonly noted: (attempt: Load) => Attempt
}

/** A new object, or the next version of one: each try is a version of its own, and holds its own mark. */
const land = async (
  { cloud }: StepContext,
  step: Step,
  repeat: number,
  { key, metadata, rowsOf, noted }: Landing,
): Promise<void> => {
  const run = step.isAbandoned ? once : untilAcknowledged
  await run(cloud, async (facts, number) => {
    const mark = markOf(step.number, repeat, number)
    const rows = rowsOf(mark)
    const load = noted({ mark, step: step.number, rows, isAcknowledged: false })
    const s3 = s3Of(facts)
    try {
      await s3.send(
        new PutObjectCommand({
          Bucket: facts.landingBucket,
          Key: key,
          Body: csvOf(rows),
          Metadata: { ...metadata, mark },
        }),
        { abortSignal: AbortSignal.timeout(60_000) },
      )
    } finally {
      s3.destroy()
    }
    load.isAcknowledged = true
  })
}

const landOwn = (
  context: StepContext,
  step: Step,
  repeat: number,
  { kind, ...landing }: Omit<Landing, 'noted'> & { kind: 'landFull' | 'landAppend' | 'landKeyed' },
): Promise<void> =>
  land(context, step, repeat, {
    ...landing,
    noted: attempt => note(context.book.loadsOf(kind, landing.key), attempt),
  })

export const landFull = (context: StepContext, step: Step): Promise<void> =>
  landOwn(context, step, 0, {
    kind: 'landFull',
    key: `${context.book.bucket}/landfull${step.client}.csv`,
    metadata: {},
    rowsOf: mark => appendRows(mark, step.rows),
  })

/** Objects of many keys that share a table. */
export const landAppend = (context: StepContext, step: Step): Promise<void> =>
  landOwn(context, step, 0, {
    kind: 'landAppend',
    key: `${context.book.bucket}/landappend/${step.number}.csv`,
    metadata: { incremental: '1' },
    rowsOf: mark => appendRows(mark, step.rows),
  })

/** Versions of one key, one right after the other: the newest value of each row wins. */
export const landKeyed = async (context: StepContext, step: Step): Promise<void> => {
  for (let repeat = 0; repeat < step.repeats; repeat++)
    await landOwn(context, step, repeat, {
      kind: 'landKeyed',
      key: `${context.book.bucket}/landkeyed${step.client}.csv`,
      metadata: { incremental: '1', 'primary-key': 'id' },
      rowsOf: mark => keyedRows(mark, `${step.client}`, step.seed + repeat, step.rows),
    })
}

/** Keys of a phase that all clients write. */
const sharedKeys = 2

/** Versions of a key that other clients write at the same time, full and keyed ones mixed: S3 says their order. */
export const landShared = async (context: StepContext, step: Step): Promise<void> => {
  const key = `${context.book.bucket}/landshared${step.seed % sharedKeys}.csv`
  for (let repeat = 0; repeat < step.repeats; repeat++) {
    const isFull = isFullOf(step, repeat)
    await land(context, step, repeat, {
      key,
      metadata: { incremental: isFull ? '0' : '1', 'primary-key': 'id' },
      rowsOf: mark => keyedRows(mark, 'shared', step.seed + repeat, step.rows),
      noted: attempt => note(context.book.sharedLoadsOf(key), { ...attempt, isFull }),
    })
  }
}
