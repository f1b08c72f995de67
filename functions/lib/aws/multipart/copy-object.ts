import { CopyObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import {
  abortUpload,
  completeUpload,
  createUpload,
  type DestinationObject,
  objectSettings,
} from './multipart-upload.ts'
import { partRanges } from './plan-parts.ts'
import { type SourceObject, sourceChanged } from './source-object.ts'
import { copyOrigin, copyPart } from './write-part.ts'

/**
 * Up to here one request copies the whole object. S3 would allow 5 GiB, but parallel parts are faster
 * (S3 User Guide, "Copying an object using multipart upload").
 */
const WHOLE_COPY_BYTES = 1024 ** 3

/** S3 copies the parts. This bounds requests, not memory. */
export const COPIED_PART_BYTES = 512 * 1024 ** 2
export const COPIES_IN_PARALLEL = 8

/**
 * Copies an object inside S3, with one client that may read the source and write the destination. No byte passes
 * through the function, whatever the size. User metadata and tags are not copied.
 *
 * All or nothing, like `moveObject`. Throws `UserError` (`source.changed`) likewise.
 */
export const copyObject = async (
  s3: S3Client,
  source: Omit<SourceObject, 's3'>,
  destination: Omit<DestinationObject, 's3'>,
): Promise<void> => {
  if (source.bytes <= WHOLE_COPY_BYTES) await copyWhole(s3, source, { ...destination, s3 })
  else await copyInParts({ ...source, s3 }, { ...destination, s3 })
}

const copyWhole = async (s3: S3Client, source: Omit<SourceObject, 's3'>, destination: DestinationObject) => {
  await s3
    .send(
      new CopyObjectCommand({
        ...objectSettings(destination),
        ...copyOrigin(source),
        MetadataDirective: 'REPLACE',
        TaggingDirective: 'REPLACE', // Copying tags would need a right of its own.
      }),
    )
    .catch(sourceChanged(source))
}

const copyInParts = async (source: SourceObject, destination: DestinationObject) => {
  const upload = await createUpload(destination)
  try {
    const parts = await pMap(
      partRanges(source.bytes, COPIED_PART_BYTES),
      ({ partNumber, ...range }) => copyPart(upload, partNumber, { source, ...range }),
      { concurrency: COPIES_IN_PARALLEL },
    )
    await completeUpload(upload, parts)
  } catch (error) {
    // Throw the error of the copy, not that of the clean-up. A lifecycle rule removes what is left.
    await abortUpload(upload).catch(() => undefined)
    throw error
  }
}
