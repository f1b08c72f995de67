import { listUploads } from '../lib/aws/multipart/list-uploads.ts'
import { abortUpload } from '../lib/aws/multipart/multipart-upload.ts'
import { findUpload, sweepOrphans } from './open-upload.ts'
import type { WorkPlace } from './work-place.ts'

/** Cleans up after a failed execution: its uploads of the destination, known or not, and its work. Idempotent. */
export const abortExport = async (work: WorkPlace): Promise<{ aborted: true }> => {
  const { s3, bucket } = work
  const upload = await findUpload(work)
  if (upload) await abortUpload({ s3, ...upload })
  else await sweepOrphans(work)

  for await (const conversion of listUploads(s3, bucket, work.prefix))
    await abortUpload({ s3, bucket, ...conversion })
  await work.clear()
  return { aborted: true }
}
