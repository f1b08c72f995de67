import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3'
import { ANSWERS_PREFIX } from './names.ts'
import { placeOfRow } from './place-of.ts'
import type { Run } from './run.ts'
import type { RunServices } from './services.ts'

type Services = Pick<RunServices, 'work' | 'log'>

/** Brings the answers that the last run of a row kept to `file`. A run does without them when they are not there. */
export const fetchAnswers = async (run: Run, file: string, { work, log }: Services): Promise<void> => {
  try {
    const { Body } = await work.s3.send(new GetObjectCommand({ Bucket: work.bucket, Key: keyOf(run) }))
    // In Node the SDK gives a stream of Node.
    await pipeline(Body as Readable, createWriteStream(file))
  } catch (error) {
    if (error instanceof NoSuchKey) return
    // What came of the file is good: it says itself where it ends.
    log.warn('kept answers not fetched', { runId: run.id, reason: String(error) })
  }
}

/** Keeps answers for the next run of a row, in the place of those before. Neither tables nor state depend on them. */
export const keepAnswers = async (run: Run, file: string, { work, log }: Services): Promise<void> => {
  try {
    const { size } = await stat(file)
    const Body = createReadStream(file)
    await work.s3.send(
      new PutObjectCommand({ Bucket: work.bucket, Key: keyOf(run), Body, ContentLength: size }),
    )
  } catch (error) {
    log.warn('answers not kept', { runId: run.id, reason: String(error) })
  }
}

const keyOf = (run: Run): string => `${ANSWERS_PREFIX}${placeOfRow(run)}`
