import type { Writable } from 'node:stream'

/** Where a command writes: its result, and lines about it. */
export interface ProgramStreams {
  output: Writable
  log: (line: string) => void
}

export const processStreams: ProgramStreams = {
  output: process.stdout,
  log: line => void process.stderr.write(`${line}\n`),
}
