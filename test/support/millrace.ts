import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const program = join(import.meta.dirname, '..', '..', 'cli', 'millrace.ts')

export interface CommandResult {
  stdout: string
  stderr: string
  code: number | null
}

/** Runs the command line in a process of its own. Variables that are `undefined` are unset. */
export const runMillrace = async (
  args: readonly string[],
  { input = '', environment = {} }: { input?: string; environment?: Record<string, string | undefined> } = {},
): Promise<CommandResult> => {
  const variables = Object.entries({ ...process.env, ...environment })
  const child = spawn(process.execPath, [program, ...args], {
    env: Object.fromEntries(variables.filter(([, value]) => value !== undefined)),
  })
  child.stdin.on('error', () => {}) // It may end without reading its input.
  child.stdin.end(input)
  const exited = new Promise<number | null>(resolve => child.on('exit', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { stdout, stderr, code }
}
