import { stat } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { isOutOfSpace } from '../functions/lib/errors/out-of-space.ts'
import type { CloudFacts } from '../local/runtime/embedded-cloud.ts'
import { readSettings } from './settings.ts'
import { command } from './shell/command.ts'
import { sayIn } from './shell/shell.ts'

/** `millrace start`, which is `npm start`: the embedded cloud in the foreground, until this process is ended. */
export const start = command({
  description: 'run the whole stack on this machine until it is interrupted',
  help: `Environment, all optional:
  MILLRACE_API_PORT   port of the storage API (8080)
  MILLRACE_S3_PORT    port of S3 and STS (9000)
  MILLRACE_DATA_DIR   folder that holds everything (.millrace)
  MILLRACE_TOKEN      master storage token, 8 characters or more (made once and kept in the data folder)
  MILLRACE_BIND       address to listen at (127.0.0.1)
  MILLRACE_TLS        name, and port (8443), to serve the API at with TLS and HTTP/2, too (none)
  MILLRACE_DURABILITY full: an acknowledgement waits until the bytes are synced; relaxed: it does not (full)
  MILLRACE_CONTEXT    stack configuration over that of cdk.json, as JSON ({})`,
  run: () => runCloud(),
})

const log = sayIn(process)

const runCloud = async (): Promise<never> => {
  // Lambda runs in UTC, and the functions' threads share this process's time zone.
  process.env['TZ'] = 'UTC'
  // Only the owner may read new files, whatever the umask of the shell.
  process.umask(0o077)
  const stopped = untilSignal()
  let isReady = false
  // A start may be cut off anywhere: nothing was announced yet, and the next start takes over.
  void stopped.then(() => isReady || process.exit(0))
  try {
    const settings = readSettings(process.env)
    const { startEmbeddedCloud } = await import('../local/runtime/embedded-cloud.ts')
    const { DurableFiles } = await import('../local/durable/durable-files.ts')
    log('starting the embedded cloud …')
    const cloud = await startEmbeddedCloud({
      apiPort: settings.MILLRACE_API_PORT,
      s3Port: settings.MILLRACE_S3_PORT,
      dataDir: settings.MILLRACE_DATA_DIR,
      bind: settings.MILLRACE_BIND,
      tls: settings.MILLRACE_TLS,
      context: settings.MILLRACE_CONTEXT,
      files: new DurableFiles({ durability: settings.MILLRACE_DURABILITY }),
      ...(settings.MILLRACE_TOKEN !== undefined && { token: settings.MILLRACE_TOKEN }),
      log,
    })
    isReady = true
    const folder = await watchDataDir(settings.MILLRACE_DATA_DIR)
    const { api, s3, region, token, accessKeyId, secretAccessKey } = cloud
    const { landingBucket, filesBucket, exportsBucket } = cloud
    const keys = { accessKeyId, secretAccessKey }
    const buckets = { landingBucket, filesBucket, exportsBucket }
    const { tls } = cloud
    const ready = { event: 'ready', api, import: cloud.import, s3, region, token, ...keys, ...buckets, tls }
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    flushCompileCache() // The way in which this process ends writes nothing.
    if (process.stderr.isTTY) await showBanner(cloud)

    const signal = await Promise.race([stopped, folder.isGone])
    if (signal === undefined) {
      log(
        `The data directory ${settings.MILLRACE_DATA_DIR} was removed while the embedded cloud ran on it: it ends here. millrace start begins a new one.`,
      )
      return exitNow(1)
    }
    log(`${signal}: stopping …`)
    setTimeout(leaveTheRest, longestStopMs)
    await cloud.close()
  } catch (error) {
    log(messageOf(error))
    return exitNow(1)
  }
  return exitNow(0)
}

const showBanner = async (cloud: CloudFacts): Promise<void> => {
  const { banner } = await import('./banner.ts')
  const { isServed } = await import('./connect/is-served.ts')
  const hasConsole = await isServed(`${cloud.api}/console`).catch(() => false)
  process.stderr.write(banner(cloud, { hasConsole, stream: process.stderr }))
}

/** Service managers kill a process some ten seconds after they asked it to end. */
const longestStopMs = 7_500

const LOOK_FOR_FOLDER_MS = 1_000

/** Its `isGone` resolves when the folder is no more, or another one: what ran on would keep nothing of what it acknowledges. */
const watchDataDir = async (folder: string): Promise<{ isGone: Promise<void> }> => {
  const inode = async () => (await stat(join(folder, 'format')).catch(() => undefined))?.ino
  const ours = await inode()
  const isGone = new Promise<void>(resolve => {
    const clock = setInterval(async () => {
      if ((await inode()) === ours) return
      clearInterval(clock)
      resolve()
    }, LOOK_FOR_FOLDER_MS)
  })
  return { isGone }
}

/** Safe at any moment: acknowledged work is stored, and unfinished work resumes at the next start. */
const leaveTheRest = (): void => {
  log('some work is unfinished: the next start resumes it')
  exitNow(0)
}

/**
 * Ends the process at once. `process.exit` would wait for a thread in native code (a long query of DuckDB); replacing
 * the process does not. The next start resumes its work.
 */
const exitNow = (code: 0 | 1): never => {
  if (process.execve && process.platform !== 'win32')
    process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}

/** The first signal ends the cloud in good order, a second one ends the process at once. */
const untilSignal = (): Promise<NodeJS.Signals> => {
  const received = Promise.withResolvers<NodeJS.Signals>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, received.resolve)
  return received.promise
}

/** A wrong setting is shown as a sentence, any other error with its stack. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (isOutOfSpace(error))
    return `The disk that holds the data directory is full: ${error.message}. Make room, or choose another with MILLRACE_DATA_DIR.`
  if ('code' in error && (error.code === 'EACCES' || error.code === 'EROFS' || error.code === 'ENOTDIR'))
    return `The data directory cannot be used: ${error.message}. Choose another with MILLRACE_DATA_DIR.`
  return process.env['MILLRACE_DEBUG'] ? (error.stack ?? error.message) : error.message
}
