import { CopyObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import {
  abortUpload,
  completeUpload,
  createUpload,
  type DestinationObject,
  type MultipartUpload,
  objectSettings,
  type StoredPart,
} from './multipart-upload.ts'
import { type PartRange, partRanges } from './part-ranges.ts'
import { BLOCK_BYTES, readBlock } from './read-blocks.ts'
import { type ObjectRange, type SourceObject, sourceChanged } from './source-object.ts'
import { assemblePart, copyOrigin, copyPart } from './write-part.ts'

/** A way to bring an object to another place. */
export interface Way {
  /** Up to here one request brings all of it. */
  readonly wholeBytes: number
  readonly partBytes: number
  readonly partsInParallel: number
  readonly whole: (source: SourceObject, destination: DestinationObject) => Promise<unknown>
  readonly part: (upload: MultipartUpload, partNumber: number, range: ObjectRange) => Promise<StoredPart>
}

/**
 * S3 copies, where the destination's client may read the source: no byte passes through the function, whatever the size. One request would
 * copy 5 GiB, but parallel parts are faster (S3 User Guide, "Copying an object using multipart upload"). User metadata and tags are not copied.
 */
export const copying: Way = {
  wholeBytes: 1024 ** 3,
  partBytes: 512 * 1024 ** 2,
  partsInParallel: 8,
  whole: (source, destination) =>
    destination.s3
      .send(
        new CopyObjectCommand({
          ...objectSettings(destination),
          ...copyOrigin(source),
          MetadataDirective: 'REPLACE',
          TaggingDirective: 'REPLACE', // Copying tags would need a right of its own.
        }),
      )
      .catch(sourceChanged(source)),
  part: copyPart,
}

/**
 * Ranges are read and written as parts, in fixed memory, where source and destination have different credentials. Parts larger than a block
 * (of objects over 160 GB) are streamed.
 */
export const moving: Way = {
  wholeBytes: BLOCK_BYTES,
  partBytes: BLOCK_BYTES,
  partsInParallel: 4,
  whole: async (source, destination) => {
    const ranges = source.bytes === 0 ? [] : [{ source, firstByte: 0, lastByte: source.bytes - 1 }]
    await destination.s3.send(
      new PutObjectCommand({ ...objectSettings(destination), Body: await readBlock(ranges) }),
    )
  },
  part: (upload, partNumber, range) => assemblePart(upload, partNumber, [range]),
}

export const bringPart = (
  way: Way,
  upload: MultipartUpload,
  source: SourceObject,
  { partNumber, ...range }: PartRange,
): Promise<StoredPart> => way.part(upload, partNumber, { source, ...range })

/** All or nothing: a failed multipart upload is aborted. Throws `UserError` (`source.changed`) when the source no longer has its ETag. */
export const bringObject = async (
  way: Way,
  source: SourceObject,
  destination: DestinationObject,
): Promise<void> => {
  if (source.bytes <= way.wholeBytes) return void (await way.whole(source, destination))
  const upload = await createUpload(destination)
  try {
    const parts = await pMap(
      partRanges(source.bytes, way.partBytes),
      part => bringPart(way, upload, source, part),
      { concurrency: way.partsInParallel },
    )
    await completeUpload(upload, parts)
  } catch (error) {
    // Throw the error of the copy, not that of the clean-up. A lifecycle rule removes what is left.
    await abortUpload(upload).catch(() => undefined)
    throw error
  }
}
