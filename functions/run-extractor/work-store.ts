import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { z } from 'zod'
import { parseExactly } from '../lib/json/parse-exactly.ts'
import { type Run, runDocument } from './run.ts'

/** Another attempt of the same step was first: what it wrote counts. */
export class DocumentMoved extends Error {
  override readonly name = 'DocumentMoved'
}

interface StoredDocument {
  value: unknown
  etag: string
}

/** JSON documents in the work bucket, replaced by conditional writes only. */
export interface WorkStore {
  readonly s3: S3Client
  readonly bucket: string
  read(key: string): Promise<StoredDocument | undefined>
  /** Writes when the document is as `expected` says: not there, with this ETag, or (`any`) whatever it is. */
  write(key: string, value: unknown, expected: 'absent' | 'any' | { etag: string }): Promise<string>
}

/** Errors of `write`: `DocumentMoved` when the document is not as expected. */
export const createWorkStore = (s3: S3Client, bucket: string): WorkStore => ({
  s3,
  bucket,

  read: async key => {
    try {
      const { Body, ETag = '' } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return { value: parseExactly((await Body?.transformToString()) ?? ''), etag: ETag }
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  },

  write: async (key, value, expected) => {
    const condition =
      expected === 'any' ? {} : expected === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: expected.etag }
    try {
      const { ETag = '' } = await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: JSON.stringify(value),
          ContentType: 'application/json',
          ...condition,
        }),
      )
      return ETag
    } catch (error) {
      if (isMoved(error)) throw new DocumentMoved(`${key} is not as it was read`, { cause: error })
      throw error
    }
  },
})

/** 412: the condition does not hold; 409: another conditional write was under way (S3 User Guide, "Conditional writes"). */
const isMoved = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 412 || error.name === 'ConditionalRequestConflict')

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

export const createRunStore = (work: WorkStore) => ({
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
