import { randomUUID } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { recordingTags } from '../lib/extractor/run/cassette/recording-tags.ts'
import { currentRow, type Run } from './run.ts'
import { rowPrefix } from './run-store.ts'
import type { RunServices } from './services.ts'

/**
 * Keeps a recording as a file of the storage service, in the place of the one before it: of each row there are the last good and the last
 * bad one. They are files of the stack, so the next run may delete them. A run does not fail for want of its recording.
 */
export const keepRecording = async (
  run: Run,
  end: 'good' | 'bad',
  recording: Uint8Array,
  { stackStorage, s3With, log }: Pick<RunServices, 'stackStorage' | 's3With' | 'log'>,
): Promise<void> => {
  const { componentId, configId } = run
  const { id: rowId } = currentRow(run)
  const tags = recordingTags({ componentId, configId, rowId: rowId ?? undefined }, end)
  try {
    const before = await stackStorage.filesWithTags(tags)
    const file = await stackStorage.prepareFile({
      name: `recording-${end}-${[configId, rowId].filter(Boolean).join('-')}.jsonl.gz`,
      sizeBytes: recording.length,
      tags,
      isPermanent: true,
    })
    const { bucket, key, credentials, 'x-amz-server-side-encryption': encryption } = file.uploadParams
    const s3 = s3With(file.region, credentials)
    try {
      await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: recording,
          ...(encryption === undefined ? {} : { ServerSideEncryption: 'AES256' as const }),
        }),
      )
    } finally {
      s3.destroy()
    }
    for (const { id } of before) await stackStorage.deleteFile(id)
  } catch (error) {
    log.warn('recording not kept', { runId: run.id, end, reason: String(error) })
  }
}

/** Keeps the recording of a finished row until its tables are loaded. Its key in the work bucket. */
export const setAside = async (
  run: Run,
  recording: Uint8Array,
  { work }: Pick<RunServices, 'work'>,
): Promise<string> => {
  const key = `${rowPrefix(run)}recording-${randomUUID()}.jsonl.gz`
  await work.s3.send(new PutObjectCommand({ Bucket: work.bucket, Key: key, Body: recording }))
  return key
}

/** Keeps what was set aside, now that it is known how the row ended. */
export const keepSetAside = async (run: Run, end: 'good' | 'bad', services: RunServices): Promise<void> => {
  const { recordingKey: Key } = run
  if (Key === undefined) return
  const { s3, bucket } = services.work
  const recording = await s3
    .send(new GetObjectCommand({ Bucket: bucket, Key }))
    .then(({ Body }) => Body?.transformToByteArray())
    .catch((error: unknown) => {
      services.log.warn('recording not kept', { runId: run.id, end, reason: String(error) })
    })
  if (recording) await keepRecording(run, end, recording, services)
}
