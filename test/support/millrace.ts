import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../cli/main.ts'

export interface CommandResult {
  stdout: string
  stderr: string
  code: number | null
}

interface Given {
  input?: string
  /** All of its variables: those of this process are not among them. */
  environment?: Readonly<Record<string, string | undefined>>
  workingFolder?: string
  /** Whether both outputs are a terminal. Default: not. */
  isTerminal?: boolean
  /** Fires where a person would press Ctrl-C. */
  interrupted?: AbortSignal
}

/** Runs the command line in this process. */
export const runMillrace = async (
  args: readonly string[],
  given: Given = {},
): Promise<CommandResult & { bytes: Buffer }> => {
  const {
    input = '',
    environment = {},
    workingFolder = process.cwd(),
    interrupted,
    isTerminal = false,
  } = given
  const stdout = memory(isTerminal)
  const stderr = memory(isTerminal)
  const code = await main(args, {
    stdin: Readable.from([input]),
    stdout,
    stderr,
    environment,
    workingFolder,
    onInterrupt: () => interrupted ?? new AbortController().signal,
  })
  const bytes = stdout.content()
  return { code, bytes, stdout: bytes.toString(), stderr: stderr.content().toString() }
}

const memory = (isTTY: boolean) => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk)) // Its writer may use the memory again.
      done()
    },
  })
  return Object.assign(stream, { content: () => Buffer.concat(chunks), isTTY, columns: 200 })
}

const program = join(import.meta.dirname, '..', '..', 'cli', 'millrace.ts')

/** The command line as a process of its own. Variables that are `undefined` are unset. */
export const spawnMillrace = (
  args: readonly string[],
  { environment = {}, workingFolder = process.cwd() }: Omit<Given, 'input' | 'interrupted'> = {},
) => {
  const variables = Object.entries({ ...process.env, ...environment })
  return spawn(process.execPath, [program, ...args], {
    cwd: workingFolder,
    env: Object.fromEntries(variables.filter(([, value]) => value !== undefined)),
  })
}

/** Runs the command line in a process of its own, for what only a process shows. */
export const runMillraceProcess = async (
  args: readonly string[],
  { input = '', ...given }: Omit<Given, 'interrupted'> = {},
): Promise<CommandResult> => {
  const child = spawnMillrace(args, given)
  child.stdin.on('error', () => {}) // It may end without reading its input.
  child.stdin.end(input)
  const exited = new Promise<number | null>(resolve => child.on('exit', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { stdout, stderr, code }
}
