import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { pathInside } from '../../paths/path-inside.ts'
import { BODY_IN_MEMORY_BYTES } from '../answers/answer-limits.ts'
import { AppendFile } from '../tables/append-file.ts'

/** A body while it comes: in memory, or from some size on in a file, when there is a folder for it. */
export class CollectedBody {
  readonly #folder: string | undefined
  #chunks: Buffer[] = []
  #file: AppendFile | undefined
  bytes = 0

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** @param status bodies of errors stay in memory, where messages and rules read them */
  add(chunk: Buffer, status: number): void {
    this.bytes += chunk.length
    if (this.#file !== undefined) {
      this.#file.writeBytes(chunk)
      return
    }
    this.#chunks.push(chunk)
    if (this.#folder === undefined || status >= 300 || this.bytes <= BODY_IN_MEMORY_BYTES) return
    mkdirSync(this.#folder, { recursive: true })
    this.#file = new AppendFile(pathInside(this.#folder, randomUUID()))
    for (const early of this.#chunks) this.#file.writeBytes(early)
  }

  finish(): { body: Buffer; file?: string } {
    this.#file?.finish()
    const [only] = this.#chunks
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    return { body, ...(this.#file === undefined ? {} : { file: this.#file.path }) }
  }

  discard(): void {
    this.#chunks = []
    if (this.#file !== undefined) rmSync(this.#file.path, { force: true })
  }
}
