import { open } from 'node:fs/promises'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { withUnsignedBody } from '../unsigned-body.ts'
import { checksumOf, fileBodyFields, PIECE_BYTES, RING_BYTES, readPieces, sendFileBody } from './file-body.ts'
import { createBufferPool } from './read-blocks.ts'

const rings = createBufferPool(RING_BYTES)

/**
 * Puts a local file in one request, which the SDK retries. Resolves to its size in bytes: at most 5 GiB.
 *
 * A large file is read a piece at a time, first for its checksum: V8 marks its heap for every 64 MiB of new memory outside of it.
 */
export const putFile = async (
  s3: S3Client,
  path: string,
  target: { Bucket: string; Key: string },
): Promise<number> => {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    if (size <= PIECE_BYTES)
      await s3.send(withUnsignedBody(new PutObjectCommand({ ...target, Body: await handle.readFile() })))
    else
      await rings.use(async ring => {
        const range = { firstByte: 0, lastByte: size - 1 }
        const checksum = await checksumOf(readPieces(handle, range, ring))
        const body = { handle, range, checksum, ring }
        const put = new PutObjectCommand({ ...target, ...fileBodyFields(body) })
        await sendFileBody(s3, put, body)
      })
    return size
  } finally {
    await handle.close()
  }
}
