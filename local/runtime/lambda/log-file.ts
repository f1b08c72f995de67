import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const largestFileBytes = 10 * 1024 * 1024

/** A log file of bounded size: when full, it becomes `<name>.1` (replacing the one before) and a new one begins. */
export interface LogFile {
  write(chunk: Buffer | string): void
  close(): Promise<void>
}

export const openLogFile = async (path: string, maxBytes = largestFileBytes): Promise<LogFile> => {
  await mkdir(dirname(path), { recursive: true })
  let bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  let stream: Promise<WriteStream> = Promise.resolve(append(path))

  const rotate = async (full: WriteStream): Promise<WriteStream> => {
    await ended(full)
    await rename(path, `${path}.1`)
    return append(path)
  }

  return {
    write: chunk => {
      bytes += chunk.length
      if (bytes > maxBytes) {
        bytes = chunk.length
        stream = stream.then(rotate)
      }
      stream = stream.then(open => {
        open.write(chunk)
        return open
      })
    },
    close: async () => ended(await stream),
  }
}

const append = (path: string): WriteStream => {
  const stream = createWriteStream(path, { flags: 'a' })
  // A log line on a full disk must not end the cloud.
  stream.on('error', () => {})
  return stream
}

const ended = (stream: WriteStream) => new Promise<void>(resolve => stream.end(() => resolve()))
