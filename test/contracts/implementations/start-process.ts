import { spawn } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MOST_SECONDS = 600

/** A server that nobody here wrote. */
export interface Implementation {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** How a server is called in a folder of its own, on a free port. */
interface Command {
  readonly command: string
  readonly given: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Starts a server and waits until it answers. Resolves to a sentence when it does not start: then its folder is left, with the log.
 * `isReady` looks at the server; by default any answer will do.
 */
export const startProcess = async (
  name: string,
  commandOf: (port: number, folder: string) => Command | Promise<Command>,
  isReady: (url: string) => Promise<boolean> = answers,
): Promise<Implementation | string> => {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`))
  const port = await freePort()
  const { command, given, env } = await commandOf(port, folder)
  const log = await open(join(folder, 'output.log'), 'w')
  const child = spawn(command, given, { cwd: folder, env, stdio: ['ignore', log.fd, log.fd] })
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const end = async () => {
    child.kill()
    await ended
    await log.close()
  }
  const url = `http://127.0.0.1:${port}`
  for (let seconds = 0; seconds < MOST_SECONDS && child.exitCode === null; seconds++) {
    if (await isReady(url).catch(() => false))
      return { url, stop: () => end().then(() => rm(folder, { recursive: true, force: true })) }
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
  await end()
  return `${name} did not start: ${join(folder, 'output.log')} says why.`
}

const answers = async (url: string): Promise<boolean> => (await fetch(url)).status > 0

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
