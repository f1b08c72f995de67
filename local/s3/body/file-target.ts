import type { DiskFile } from '../../durable/disk.ts'
import type { DataFiles } from '../storage/data-files.ts'
import type { NewFile } from '../storage/stored-object.ts'

const batchBytes = 512 * 1024

/**
 * Appends to a file in batches: bodies arrive in pieces of 64 KiB, and a system call for each would cost more than the
 * writing itself. While one batch is on its way to the file the next one fills, so at most two are in memory.
 */
export class FileTarget {
  readonly #files: Pick<DataFiles, 'finish' | 'discard'>
  readonly #file: string
  readonly #handle: DiskFile
  #batch: Buffer[] = []
  #batchBytes = 0
  #writing: Promise<void> | undefined

  constructor(files: Pick<DataFiles, 'finish' | 'discard'>, file: string, handle: DiskFile) {
    this.#files = files
    this.#file = file
    this.#handle = handle
  }

  /** Frees the memory of the bytes when they are written. Gives a promise when the caller must wait before it brings more. */
  write(bytes: Buffer): Promise<void> | undefined {
    this.#batch.push(bytes)
    this.#batchBytes += bytes.length
    return this.#batchBytes >= batchBytes ? this.#startBatch() : undefined
  }

  /** Call when all is written. Resolves when the file is synced. */
  async finish(): Promise<NewFile> {
    await this.#startBatch()
    await this.#writing
    await this.#files.finish(this.#file, this.#handle)
    return { name: this.#file }
  }

  /** Ends the writing; after `finish` too. */
  async close(): Promise<void> {
    // The file must not be closed under a write; one that failed has been reported already or is about to be.
    await this.#writing?.catch(() => undefined)
    await this.#handle.close()
  }

  /** Removes what was written. Call after `close`. */
  discard(): Promise<void> {
    return this.#files.discard(this.#file)
  }

  async #startBatch(): Promise<void> {
    await this.#writing
    const batch = this.#batch
    if (batch.length === 0) return
    this.#batch = []
    this.#batchBytes = 0
    this.#writing = this.#writeAll(batch)
    // Handled where it is awaited; without this a failure in between would count as unhandled.
    this.#writing.catch(() => undefined)
  }

  async #writeAll(batch: Buffer[]): Promise<void> {
    let left = batch
    while (left.length > 0) left = dropBytes(left, await this.#handle.write(left))
    batch.forEach(freeWhole)
  }
}

/**
 * Frees the memory of a piece that has it for itself. V8 would do so only when it has marked its whole heap, and marks it for every
 * 64 MiB of such pieces.
 */
const freeWhole = ({ buffer, byteLength }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** What is left of the buffers after their first `count` bytes. */
const dropBytes = (buffers: Buffer[], count: number): Buffer[] => {
  let dropped = 0
  for (const [index, buffer] of buffers.entries()) {
    if (dropped + buffer.length > count)
      return [buffer.subarray(count - dropped), ...buffers.slice(index + 1)]
    dropped += buffer.length
  }
  return []
}
