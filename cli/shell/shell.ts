import { isAbsolute, relative, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { printableLines } from './printable.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Standard output or error: a terminal, a pipe, a file, or memory. */
export type TextStream = Writable & { isTTY?: boolean; columns?: number }

/** What a command has from whoever started it. The SDK of AWS alone reads its own variables from the process. */
export interface Shell {
  readonly stdin: Readable & { isTTY?: boolean }
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly environment: Environment
  /** Paths of arguments, options and variables start here. */
  readonly workingFolder: string
  /** From this call on, until `over` fires, an interrupt fires the signal; otherwise it ends the process. */
  readonly onInterrupt: (over?: AbortSignal) => AbortSignal
}

export const processShell: Shell = {
  // Whoever looks at standard input opens it, so only commands that read it do.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  workingFolder: process.cwd(),
  onInterrupt: over => {
    const interrupted = new AbortController()
    const abort = () => interrupted.abort()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, abort)
      over?.addEventListener('abort', () => process.off(signal, abort))
    }
    return interrupted.signal
  },
}

/** A path as this process finds it. In the shell's own folder it stays as it was written, for messages. */
export const pathIn = ({ workingFolder }: Pick<Shell, 'workingFolder'>, path: string): string =>
  isAbsolute(path) ? path : relative(process.cwd(), resolve(workingFolder, path)) || '.'

/** The data directory of the embedded cloud. */
export const dataDirOf = (shell: Pick<Shell, 'workingFolder' | 'environment'>): string =>
  pathIn(shell, shell.environment['MILLRACE_DATA_DIR'] || '.millrace')

/** Writes a remark to standard error. */
export const sayIn =
  ({ stderr }: Pick<Shell, 'stderr'>) =>
  (line: string): void =>
    void stderr.write(`${printableLines(line)}\n`)
