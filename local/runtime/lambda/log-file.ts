import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const LARGEST_BYTES = 10 * 1024 * 1024

/** What appends to a log file of bounded size: when full, it becomes `<name>.1` (replacing the one before) and a new one begins. */
export const openLogFile = (path: string): ((chunk: Buffer) => void) => {
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, '') // Who follows the logs of functions sees each, also before its first line.
  let bytes = statSync(path).size
  return chunk => {
    bytes += chunk.length
    try {
      if (bytes > LARGEST_BYTES) {
        renameSync(path, `${path}.1`)
        bytes = chunk.length
      }
      appendFileSync(path, chunk)
    } catch {
      // A log line on a full disk must not end the cloud.
    }
  }
}
