import { PutObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import {
  abortUpload,
  completeUpload,
  createUpload,
  type DestinationObject,
  objectSettings,
} from './multipart-upload.ts'
import { type PartRange, partRanges } from './plan-parts.ts'
import { BLOCK_BYTES, readBlock } from './read-blocks.ts'
import type { ObjectRange, SourceObject } from './source-object.ts'
import { assemblePart } from './write-part.ts'

/**
 * A move holds this many parts of one block in memory. Parts larger than a block (objects over 160 GB) are streamed.
 */
export const PARTS_IN_PARALLEL = 4

/** The parts in which an object of this size is moved. */
export const movedParts = (totalBytes: number): PartRange[] => partRanges(totalBytes, BLOCK_BYTES)

/**
 * Reads the source in ranges and writes them as parts, in fixed memory whatever the size.
 *
 * Source and destination have different credentials, so S3 cannot copy by itself. All or nothing: a failed multipart
 * upload is aborted. Throws `UserError` (`source.changed`) when the source no longer has its ETag.
 */
export const moveObject = async (source: SourceObject, destination: DestinationObject): Promise<void> => {
  const parts = movedParts(source.bytes)
  if (parts.length <= 1) await putWhole(source, destination)
  else await putInParts(source, destination, parts)
}

const putWhole = async (source: SourceObject, destination: DestinationObject) => {
  const ranges: ObjectRange[] =
    source.bytes === 0 ? [] : [{ source, firstByte: 0, lastByte: source.bytes - 1 }]
  await destination.s3.send(
    new PutObjectCommand({ ...objectSettings(destination), Body: await readBlock(ranges) }),
  )
}

const putInParts = async (source: SourceObject, destination: DestinationObject, parts: PartRange[]) => {
  const upload = await createUpload(destination)
  try {
    const stored = await pMap(
      parts,
      ({ partNumber, ...range }) => assemblePart(upload, partNumber, [{ source, ...range }]),
      { concurrency: PARTS_IN_PARALLEL },
    )
    await completeUpload(upload, stored)
  } catch (error) {
    // Throw the error of the move, not that of the clean-up. A lifecycle rule removes what is left.
    await abortUpload(upload).catch(() => undefined)
    throw error
  }
}
