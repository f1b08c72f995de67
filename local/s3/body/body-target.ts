import type { DataFiles } from '../storage/data-files.ts'
import type { NewFile } from '../storage/stored-object.ts'
import { FileSink } from './file-sink.ts'

/** Where the bytes of a body go until they are committed. */
export interface BodyTarget {
  readonly sink: {
    /** Bytes taken so far. */
    readonly size: number
    /** Takes the bytes without copying. Gives a promise when the caller must wait before it brings more. */
    write(bytes: Buffer): Promise<void> | undefined
  }
  /** Call when all is written. Resolves when a file in the data folder is synced. */
  finish(): Promise<NewFile>
  /** Ends the writing; after `finish` too. */
  close(): Promise<void>
  /** Removes what was written. Call after `close`. */
  discard(): Promise<void>
}

/** @param most bytes that the body may have */
export const openBodyTarget = (files: DataFiles, most: number): Promise<BodyTarget> =>
  files.small.fits(most) ? openMemory(files) : openFile(files)

const openMemory = async (files: DataFiles): Promise<BodyTarget> => {
  const sink = new MemorySink()
  return {
    sink,
    finish: async () => ({ name: files.newName(), content: sink.content() }),
    close: async () => {},
    discard: async () => {},
  }
}

const openFile = async (files: DataFiles): Promise<BodyTarget> => {
  const { file, handle } = await files.create()
  const sink = new FileSink(handle)
  return {
    sink,
    finish: async () => {
      await sink.flush()
      await files.finish(file, handle)
      return { name: file }
    },
    close: () => sink.close(),
    discard: () => files.discard(file),
  }
}

/** Keeps a small body in memory; what {@link FileSink} is to a large one. */
class MemorySink {
  /** Bytes taken so far. */
  size = 0
  readonly #pieces: Buffer[] = []

  /** Takes the bytes without copying. */
  write(bytes: Buffer): undefined {
    this.size += bytes.length
    this.#pieces.push(bytes)
  }

  content(): Buffer {
    return Buffer.concat(this.#pieces, this.size)
  }
}
