import { z } from 'zod'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { type Run, runDocument } from './run.ts'

/** What the rows of a run work with, as it was when the run began. Secrets are sealed in it. */
const snapshot = z.object({
  rows: z.array(
    z.object({
      /** Root and row merged. */
      configuration: z.record(z.string(), z.unknown()),
      state: z.record(z.string(), z.unknown()),
    }),
  ),
  imageParameters: z.record(z.string(), z.unknown()),
  /** Digests of the sealed values that the storage service copied into the configuration. */
  adoptedSecrets: z.array(z.string()).default([]),
})

export type Snapshot = z.infer<typeof snapshot>

export interface StoredRun {
  run: Run
  etag: string
}

/** Everything of one run lies below this prefix; a lifecycle rule removes it after some weeks. */
export const runPrefix = (runId: string): string => `runs/${runId}/`

/** Everything of the row that is under way. */
export const rowPrefix = ({ id, rowIndex }: Run): string => `${runPrefix(id)}row-${rowIndex}/`

const runKey = (runId: string) => `${runPrefix(runId)}run.json`
const snapshotKey = (runId: string) => `${runPrefix(runId)}configuration.json`

export const createRunStore = (work: BucketDocuments) => ({
  read: async (runId: string): Promise<StoredRun | undefined> => {
    const stored = await work.read(runKey(runId))
    return stored && { run: runDocument.parse(stored.value), etag: stored.etag }
  },

  /** The snapshot goes first: a run that is there can be carried out. */
  create: async (run: Run, given: Snapshot): Promise<StoredRun> => {
    await work.write(snapshotKey(run.id), given, 'any')
    return { run, etag: await work.write(runKey(run.id), run, 'absent') }
  },

  /** Throws `DocumentMoved` when another attempt of the step was first. */
  replace: async (stored: StoredRun, run: Run): Promise<StoredRun> => ({
    run,
    etag: await work.write(runKey(run.id), run, { etag: stored.etag }),
  }),

  snapshotOfRow: async ({ id, rowIndex }: Run) => {
    const { value } = (await work.read(snapshotKey(id))) ?? {}
    const { rows, ...ofRun } = snapshot.parse(value)
    const row = rows[rowIndex]
    if (row === undefined) throw new Error(`The snapshot of run ${id} has no row ${rowIndex}`)
    return { ...row, ...ofRun }
  },
})

export type RunStore = ReturnType<typeof createRunStore>
