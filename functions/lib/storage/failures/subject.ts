import { z } from 'zod'
import { landedObject } from '../../landed-object.ts'
import { defaultBranchId } from '../db/branch-id.ts'

/** What an execution was about. One subject has one failure, which its next success removes. */
export interface Subject {
  /** A key of the landing bucket, a configuration, a job, or the whole input of another machine. */
  readonly name: string
  /** All of it, or one version: one that is added to others, so that no other version has its rows. */
  readonly scope: string
  /** Grows in the order of the name: of versions in their bucket, of the starts of runs. Absent: nobody knows it. */
  readonly place?: string | undefined
  /** When it failed, or began and then succeeded (ISO 8601). */
  readonly at: string
}

/** An execution of a machine. */
export interface Ended {
  /** By the name of its construct: `import`, `export`, `extract` or `jobs`. */
  readonly machine: string
  readonly name: string
  readonly startDate: Date
  readonly stopDate: Date
  readonly input: unknown
}

/** Each success replaces all that came before it. */
export const WHOLE = 'whole'
/** Nobody can say how the file was to be loaded: whatever is loaded later mends it. */
const ANY = 'any'
/** Where the bucket keeps no versions, the event names one; and nobody else asks for what a person has asked for. */
const versionScope = ({ name, input }: Ended, versionId: string | undefined): string => {
  const { versionId: named, sequencer } = landedObject.safeParse(input).data ?? {}
  return `version ${versionId ?? named ?? sequencer ?? name}`
}

/** What the hook says of a file that it could not import. `null`: its key or its metadata say nothing that can be followed. */
const failedImport = z
  .object({ isIncremental: z.boolean().nullish(), versionId: z.string().optional() })
  .catch({})

/** What the hook says of a file that is in its table, where something may have failed before. */
const goodImport = z.object({
  mends: z.object({ isIncremental: z.boolean(), versionId: z.string().optional() }),
})

const skipped = z.object({ status: z.literal('skipped') })
const jobInput = z.object({ jobId: z.int() })

/** Of what a run was asked to do; see `functions/run-extractor/event.ts`. Anything may stand there: people start runs too. */
const runInput = z.object({
  componentId: z.coerce.string().min(1),
  configId: z.coerce.string(),
  branchId: z.int().catch(defaultBranchId).default(defaultBranchId),
})

/** The job that an execution of their machine was for. */
export const jobOf = ({ machine, input }: Ended): number | undefined =>
  machine === 'jobs' ? jobInput.safeParse(input).data?.jobId : undefined

const placed = (ended: Ended): Pick<Subject, 'name' | 'place'> => {
  const { machine, name, startDate, input } = ended
  const of = (...parts: readonly unknown[]) => JSON.stringify([machine, ...parts])
  const file = machine === 'import' ? landedObject.safeParse(input).data : undefined
  // Of sequencers with different lengths the shorter one is filled up with zeros at its end (S3 User Guide, "Event
  // message structure"). A person gives none.
  if (file !== undefined)
    return { name: of(file.bucket, file.key), place: file.sequencer?.toUpperCase().padEnd(64, '0') }
  // A job ends once.
  const jobId = jobOf(ended)
  if (jobId !== undefined) return { name: of(jobId), place: '' }
  const place = `${startDate.toISOString()} ${name}`
  const run = machine === 'extract' ? runInput.safeParse(input).data : undefined
  return { name: run ? of(run.componentId, run.configId, run.branchId) : of(input), place }
}

/** @param details what the failure says beside its message */
export const failedSubject = (ended: Ended, details: unknown): Subject => {
  const subject = { ...placed(ended), at: ended.stopDate.toISOString() }
  if (ended.machine !== 'import' || !landedObject.safeParse(ended.input).success)
    return { ...subject, scope: WHOLE }
  const { isIncremental, versionId } = failedImport.parse(details)
  const scope = { null: ANY, false: WHOLE }[String(isIncremental)] ?? versionScope(ended, versionId)
  return { ...subject, scope }
}

/** What a success mends. None: nothing. */
export const mendedSubjects = (ended: Ended, output: unknown): Subject[] => {
  const subject = { ...placed(ended), at: ended.startDate.toISOString() }
  if (ended.machine === 'import') {
    const { mends } = goodImport.safeParse(output).data ?? {}
    if (mends === undefined) return []
    const scopes = mends.isIncremental ? [versionScope(ended, mends.versionId), ANY] : [WHOLE]
    return scopes.map(scope => ({ ...subject, scope }))
  }
  // A run that was left out, since another one was under way, has read nothing.
  return skipped.safeParse(output).success ? [] : [{ ...subject, scope: WHOLE }]
}
