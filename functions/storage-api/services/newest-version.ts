import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'

/** `sequencer` grows with the writes of a key (S3 User Guide, "Event message structure"); a person gives none. */
const named = z.object({ bucket: z.string(), key: z.string(), sequencer: z.string().optional() })

/** What the import machine is started with: a person names the object, an event of S3 tells of it. */
const importInput = z.union([
  named,
  z
    .object({
      detail: z.object({ bucket: z.object({ name: z.string() }), object: named.omit({ bucket: true }) }),
    })
    .transform(({ detail }) => ({ bucket: detail.bucket.name, ...detail.object })),
])

/** Whether it is about an object of the landing bucket, which somebody may have replaced since. */
export const hasNewestVersion = ({ machine, input }: Pick<DeadLetterRecord, 'machine' | 'input'>): boolean =>
  machine === 'import' && importInput.safeParse(input).success

/**
 * The dead letter's input without the version that failed: the import then takes the object as it is now.
 *
 * Error: 400 `storage.deadLetters.notRedrivable` for work that is about no object.
 */
export const inputOfNewest = (letter: Pick<DeadLetterRecord, 'machine' | 'input'>) => {
  const input = letter.machine === 'import' ? importInput.safeParse(letter.input).data : undefined
  if (input === undefined)
    throw new UserError(
      'storage.deadLetters.notRedrivable',
      'Only imports of objects can be started with the newest version. Start this one with its own input.',
    )
  return { bucket: input.bucket, key: input.key }
}

/** Whether the letter is about the same file, and about no later version of it. */
export const isAboutEarlier = (
  { machine, input }: Pick<DeadLetterRecord, 'machine' | 'input'>,
  imported: z.infer<typeof named>,
): boolean => {
  const { data } = importInput.safeParse(input)
  if (machine !== 'import' || data?.bucket !== imported.bucket || data.key !== imported.key) return false
  const both = [data.sequencer, imported.sequencer]
  // Of different lengths, the shorter one is filled up with zeros at its end (the same page).
  const [failed = '', now = ''] = both.map(text => text?.padEnd(64, '0'))
  return both.includes(undefined) || failed <= now
}
