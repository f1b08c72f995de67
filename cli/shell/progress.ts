import { formatBytes } from './format-values.ts'
import { printable } from './printable.ts'
import type { TextStream } from './shell.ts'

const REDRAW_MS = 200

export interface Progress {
  add: (bytes: number) => void
  /** Clears the line. */
  end: () => void
}

/** A line on standard error that is written again and again; nothing when that is no terminal. */
export const liveLine = ({ stderr: stream }: { stderr: TextStream }) => ({
  show: (text: string): void => {
    const shown = printable(text).slice(0, (stream.columns ?? 80) - 1)
    if (stream.isTTY) stream.write(`\r\u001b[K${shown}`)
  },
  /** Clears it. */
  end: (): void => void (stream.isTTY && stream.write('\r\u001b[K')),
})

/** How much of some bytes has been moved, in a {@link liveLine}. */
export const progressIn =
  (streams: { stderr: TextStream }) =>
  (what: string, totalBytes: number): Progress => {
    const line = liveLine(streams)
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
        line.show(`${what}: ${share} % of ${formatBytes(totalBytes)}, ${speed}/s${left}`)
      },
      end: line.end,
    }
  }
