import { type FileHandle, open } from 'node:fs/promises'
import type { DataFiles } from './data-files.ts'
import type { Slice } from './stored-object.ts'

const pieceBytes = 256 * 1024

/**
 * The bytes of the slices, in pieces of at most 256 KiB; the next piece is read while the last one is being used.
 *
 * A piece is valid until the next one is asked for: two buffers take turns. Fresh ones cost the whole process a fourth
 * of its time in garbage collection while large objects are read (V8 marks its heap for every few of them).
 *
 * The files are held from the call on (not from the first read), so an object that is replaced meanwhile is still
 * read whole. The hold ends with the iteration; whoever does not begin it must call `release`.
 */
export const readSlices = (
  files: DataFiles,
  slices: readonly Slice[],
): { bytes: AsyncIterable<Buffer>; release: () => void } => {
  const release = files.hold(slices.map(({ file }) => file))
  const readAndRelease = async function* (): AsyncIterable<Buffer> {
    try {
      for (const slice of slices) yield* readSlice(files, slice)
    } finally {
      release()
    }
  }
  return { bytes: readAndRelease(), release }
}

async function* readSlice(files: DataFiles, { file, fileStart, size }: Slice): AsyncIterable<Buffer> {
  const content = files.readSmall(file)
  if (content !== undefined) return yield content.subarray(fileStart, fileStart + size)
  const handle = await open(files.path(file), 'r')
  let [current, spare] = [Buffer.allocUnsafeSlow(Math.min(pieceBytes, size)), Buffer.alloc(0)]
  const readAhead = (buffer: Buffer, done: number): Promise<Buffer> => {
    const reading = readFully(handle, buffer.subarray(0, size - done), fileStart + done)
    // It is awaited one piece later; until then a failure must not count as unhandled.
    reading.catch(() => undefined)
    return reading
  }
  let next = readAhead(current, 0)
  try {
    for (let done = 0; done < size; ) {
      const piece = await next
      done += piece.length
      if (done < size) {
        if (spare.length === 0) spare = Buffer.allocUnsafeSlow(pieceBytes)
        next = readAhead(spare, done)
      }
      yield piece
      ;[current, spare] = [spare, current]
    }
  } finally {
    await next.catch(() => undefined)
    await handle.close()
  }
}

/** Fills the buffer from this position on, and resolves to it. */
const readFully = async (handle: FileHandle, buffer: Buffer, position: number): Promise<Buffer> => {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) throw new Error('A data file is shorter than the database says')
    filled += bytesRead
  }
  return buffer
}
