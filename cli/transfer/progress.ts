import type { TextStream } from '../shell.ts'

const REDRAW_MS = 200

export interface Progress {
  add: (bytes: number) => void
  /** Clears the line. */
  end: () => void
}

/** One progress line on standard error; nothing when that is no terminal. */
export const progressIn =
  ({ stderr: stream }: { stderr: TextStream }) =>
  (what: string, totalBytes: number): Progress => {
    if (!stream.isTTY) return { add: () => undefined, end: () => undefined }
    const start = performance.now()
    let moved = 0
    let drawn = 0
    return {
      add: bytes => {
        moved += bytes
        const now = performance.now()
        if (now - drawn < REDRAW_MS) return
        drawn = now
        const seconds = (now - start) / 1000
        const share = totalBytes === 0 ? 100 : Math.floor((100 * moved) / totalBytes)
        const left = moved === 0 ? '' : `, ${Math.ceil((seconds * (totalBytes - moved)) / moved)} s left`
        const speed = formatBytes(moved / seconds)
        stream.write(`\r\u001b[K${what}: ${share} % of ${formatBytes(totalBytes)}, ${speed}/s${left}`)
      },
      end: () => void stream.write('\r\u001b[K'),
    }
  }

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1.5 GB`: powers of 1,000, three digits. */
export const formatBytes = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`
}
