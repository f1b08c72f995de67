import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { makeWorkFolder } from '../duckdb/confined-duckdb.ts'
import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import type { BoxAnswer, BoxCall, BoxSettings } from './box.ts'

/** Of a query with all that it reads: what takes more is killed. */
const MOST_MEMORY_MIB = 768
const SPILL_MIB = 1024
const HEAP_MIB = 256

/** What Node reserves to write into and never does: it counts for the system's bound (RLIMIT_DATA). */
const RESERVED_MIB = 640

/** The process of a query ended before its answer, most likely since it had no more memory. */
export class BoxEnded extends Error {
  override readonly name = 'BoxEnded'
}

/**
 * A session of DuckDB in a process of its own, which shares no memory, thread, file or variable with this one. When it takes more memory than
 * it may, or the signal fires, the process ends, and what was asked of it rejects with `BoxEnded`.
 */
export const openBox = async ({
  signal,
  scratchDir,
  ...sizes
}: Pick<BoxSettings, 'scratchDir' | 'memoryLimitMiB' | 'threads'> & {
  signal: AbortSignal
}): Promise<DuckDbSession> => {
  await mkdir(scratchDir, { recursive: true })
  const folder = await makeWorkFolder(scratchDir)
  const child = start({
    ...sizes,
    scratchDir: folder,
    spillMiB: SPILL_MIB,
    mostMemoryMiB: MOST_MEMORY_MIB,
  })
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {}) // Nobody may be asking.
  child.once('exit', (code, killedBy) => ended.reject(new BoxEnded(`A query ended: ${killedBy ?? code}.`)))
  child.once('error', error => ended.reject(error))
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)

  const answered = async (): Promise<unknown> => {
    const answer = new Promise<BoxAnswer>(resolve => child.once('message', resolve))
    const said = await Promise.race([answer, ended.promise])
    if ('error' in said) throw new Error(said.error)
    return said.result
  }
  const call =
    (method: BoxCall['method']) =>
    (...given: unknown[]) => {
      // If it has ended, its exit says so.
      child.send({ method, given } satisfies BoxCall, error => error && kill())
      return answered()
    }
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', kill)
    kill()
    await ended.promise.catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
  try {
    if (signal.aborted) kill()
    const workFolder = String(await answered())
    return {
      scratchPath: name => path.join(workFolder, name),
      fitTo: call('fitTo'),
      query: call('query'),
      runInOrder: call('runInOrder'),
      first: call('first'),
      close,
    } as DuckDbSession // The box answers what the session in it answers.
  } catch (cause) {
    await close()
    throw signal.aborted ? cause : new Error('The process of a query did not start.', { cause })
  }
}

/** No dump of its memory, and bounds that no statement can lift. The shell counts files in blocks of 512 bytes. */
const BOUNDS = `ulimit -c 0; ulimit -f ${SPILL_MIB * 2048}; ulimit -d ${(MOST_MEMORY_MIB + RESERVED_MIB) * 1024}`

const start = (settings: BoxSettings) => {
  const program = path.join(import.meta.dirname, `box${path.extname(import.meta.filename)}`)
  const node = [process.execPath, `--max-old-space-size=${HEAP_MIB}`, program, JSON.stringify(settings)]
  return spawn('/bin/sh', ['-c', `${BOUNDS}; exec "$0" "$@"`, ...node], {
    // Times are UTC. In Lambda the path names the libraries of Node.
    env: { TZ: 'UTC', LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
}
