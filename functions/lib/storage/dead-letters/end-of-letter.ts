import { z } from 'zod'
import { idParts } from '../db/ids.ts'
import { inputOfRun } from '../runs/run-execution.ts'
import { ANYTHING, type End, versionScope, WHOLE } from './open-failures.ts'

/** `sequencer` grows with the writes of a key (S3 User Guide, "Event message structure"); a person gives none. */
const named = z.object({
  bucket: z.string(),
  key: z.string(),
  versionId: z.string().optional(),
  sequencer: z.string().optional(),
})

type NamedObject = z.infer<typeof named>

/** What the import machine is started with: a person names the object, an event of S3 tells of it. */
export const importInput = z.union([
  named,
  z
    .object({
      detail: z.object({
        bucket: z.object({ name: z.string() }),
        object: z.object({
          key: z.string(),
          'version-id': z.string().optional(),
          sequencer: z.string().optional(),
        }),
      }),
    })
    .transform(({ detail: { bucket, object } }) => ({
      bucket: bucket.name,
      key: object.key,
      versionId: object['version-id'],
      sequencer: object.sequencer,
    })),
])

/** What the hook says of a file that it could not import. `null`: the file cannot be loaded at all. */
const importDetails = z
  .object({ isIncremental: z.boolean().nullish(), versionId: z.string().optional() })
  .catch({})

const jobInput = z.object({ jobId: z.int() })

const subjectOf = (...parts: readonly unknown[]): string => JSON.stringify(parts)

/** Of sequencers with different lengths the shorter one is filled up with zeros at its end (the same page). */
const placeOfVersion = ({ sequencer }: NamedObject): string | undefined =>
  sequencer?.toUpperCase().padEnd(64, '0')

interface Letter {
  readonly id: number
  readonly machine: string
  readonly input: unknown
  readonly details: unknown
  readonly at: string
}

/** What a dead letter says, as one of the ends of its subject. */
export const endOfLetter = (letter: Letter): End => {
  const { id, machine, input, at } = letter
  const file = machine === 'import' ? importInput.safeParse(input).data : undefined
  if (file !== undefined) {
    const { isIncremental, versionId = file.versionId ?? `of ${id}` } = importDetails.parse(letter.details)
    // Where nobody can say how it was to be loaded, no other version is taken for it.
    const scope = { null: ANYTHING, false: WHOLE }[String(isIncremental)] ?? versionScope(versionId)
    const subject = subjectOf(machine, file.bucket, file.key)
    return { subject, scope, failed: true, place: placeOfVersion(file), at }
  }
  const job = machine === 'jobs' ? jobInput.safeParse(input).data : undefined
  if (job !== undefined) return { ...endOfJob(job.jobId, at), failed: true }
  const run = inputOfRun({ input: JSON.stringify(input) })
  const startedAt = new Date(idParts(id).milliseconds)
  if (machine === 'extract' && run.componentId !== '')
    return { ...endOfRun(run, startedAt, at), failed: true }
  return { subject: subjectOf(machine, input), scope: WHOLE, failed: true, at }
}

/** A file is in its table, added to what was there or in its place. */
export const endOfImport = (
  file: NamedObject,
  { isIncremental, at }: { isIncremental: boolean; at: string },
): End => ({
  subject: subjectOf('import', file.bucket, file.key),
  scope: isIncremental ? versionScope(file.versionId ?? '') : WHOLE,
  failed: false,
  place: placeOfVersion(file),
  at,
})

/** A job ends once. */
export const endOfJob = (jobId: number, at: string): End => ({
  subject: subjectOf('jobs', jobId),
  scope: WHOLE,
  failed: false,
  place: '',
  at,
})

export const endOfRun = (
  { componentId, configId, branchId }: ReturnType<typeof inputOfRun>,
  startedAt: Date,
  at: string,
): End => ({
  subject: subjectOf('extract', componentId, configId, branchId),
  scope: WHOLE,
  failed: false,
  place: startedAt.toISOString(),
  at,
})
