import { listUploads } from '../lib/aws/multipart/list-uploads.ts'
import { abortUpload } from '../lib/aws/multipart/multipart-upload.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { findUpload, sweepOrphans } from './open-upload.ts'
import type { WorkPlace } from './work-place.ts'

/** Leaves nothing of a failed execution: no upload of the destination, known or not, and no work. May be repeated. */
export const abortExport = async (
  work: WorkPlace,
  failure: MachineFailure = {},
): Promise<{ aborted: true; failure: Failure }> => {
  const { s3, bucket } = work
  const upload = await findUpload(work)
  if (upload) await abortUpload({ s3, ...upload })
  else await sweepOrphans(work)

  for await (const conversion of listUploads(s3, bucket, work.prefix))
    await abortUpload({ s3, bucket, ...conversion })
  await work.clear()
  return { aborted: true, failure: describeFailure(failure) }
}
