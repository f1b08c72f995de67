import { type FileHandle, open } from 'node:fs/promises'
import type { DataFiles } from './data-files.ts'
import type { Slice } from './stored-object.ts'

const chunkBytes = 256 * 1024

/**
 * The bytes of the slices, in pieces of at most 256 KiB; the next piece is read while the last one is being used.
 *
 * The files are held from the call on (not from the first read), so an object that is replaced meanwhile is still
 * read whole. The hold ends with the iteration; whoever does not begin it must call `release`.
 */
export const readSlices = (
  files: DataFiles,
  slices: readonly Slice[],
): { bytes: AsyncIterable<Buffer>; release: () => void } => {
  const release = files.hold(slices.map(({ file }) => file))
  return { bytes: readAndRelease(files, slices, release), release }
}

async function* readAndRelease(
  files: DataFiles,
  slices: readonly Slice[],
  release: () => void,
): AsyncIterable<Buffer> {
  try {
    for (const slice of slices) yield* readSlice(files, slice)
  } finally {
    release()
  }
}

async function* readSlice(files: DataFiles, { file, fileStart, size }: Slice): AsyncIterable<Buffer> {
  const handle = await open(files.path(file), 'r')
  let next = readAhead(handle, fileStart, Math.min(chunkBytes, size))
  try {
    for (let done = 0; done < size; ) {
      const piece = await next
      done += piece.length
      if (done < size) next = readAhead(handle, fileStart + done, Math.min(chunkBytes, size - done))
      yield piece
    }
  } finally {
    await next.catch(() => undefined)
    await handle.close()
  }
}

const readAhead = (handle: FileHandle, position: number, length: number): Promise<Buffer> => {
  const reading = readFully(handle, position, length)
  // It is awaited one piece later; until then a failure must not count as unhandled.
  reading.catch(() => undefined)
  return reading
}

const readFully = async (handle: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafeSlow(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new Error('A data file is shorter than the database says')
    filled += bytesRead
  }
  return buffer
}
