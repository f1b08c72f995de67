import type { Writable } from 'node:stream'

/** A command writes its result to one stream and its messages to the other. */
export interface ProgramStreams {
  output: Writable
  log: (line: string) => void
}

export const processStreams: ProgramStreams = {
  output: process.stdout,
  log: line => void process.stderr.write(`${line}\n`),
}
