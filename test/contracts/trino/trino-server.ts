import { execFile, spawn } from 'node:child_process'
import { access, glob, mkdir, mkdtemp, open, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Of the versions that Athena's engine version 3 follows, the one in which our statements were first tried. */
const VERSION = '476'
const OLDEST_JAVA = 24

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** A Java that Trino runs on: that of `JAVA_HOME`, of the path, or one that is installed beside it. */
const findJava = async (): Promise<string | undefined> => {
  const candidates = ['java']
  if (process.env['JAVA_HOME']) candidates.unshift(join(process.env['JAVA_HOME'], 'bin/java'))
  for await (const found of glob('/usr/lib/jvm/*/bin/java')) candidates.push(found)
  for (const java of candidates) {
    const { stderr } = await run(java, ['-version']).catch(() => ({ stderr: '' }))
    if (Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0) >= OLDEST_JAVA) return java
  }
  return undefined
}

/** The folder of Trino, in the user's cache: Maven fetches it once. */
const fetchTrino = async (): Promise<string | undefined> => {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'millrace')
  const folder = join(cache, `trino-server-${VERSION}`)
  if (await isThere(folder)) return folder
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'trino-'))
  try {
    const artifact = `io.trino:trino-server:${VERSION}:tar.gz`
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
    await run('mvn', ['-B', '-q', goal, `-Dartifact=${artifact}`, `-DoutputDirectory=${scratch}`])
    await run('tar', ['xzf', join(scratch, `trino-server-${VERSION}.tar.gz`), '-C', scratch])
    // A run that dies before this leaves nothing that the next one takes for whole.
    await rename(join(scratch, `trino-server-${VERSION}`), folder)
    return folder
  } catch {
    return undefined
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const JVM = [
  '-Xmx1200M',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:-OmitStackTraceInFastThrow',
  '--sun-misc-unsafe-memory-access=allow',
  '--enable-native-access=ALL-UNNAMED',
  '--add-modules=jdk.incubator.vector',
  '-Djdk.attach.allowAttachSelf=true',
]

const configOf = (port: number, plugins: string): string =>
  [
    'node.environment=contracts',
    'node.id=one',
    'coordinator=true',
    'node-scheduler.include-coordinator=true',
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${port}`,
    'catalog.management=dynamic',
    'catalog.store=memory',
    `plugin.dir=${plugins}`,
    'query.max-memory=600MB',
    'query.max-memory-per-node=500MB',
    'memory.heap-headroom-per-node=200MB',
  ].join('\n')

interface Trino {
  url: string
  stop: () => Promise<void>
}

/** Starts a Trino with its connector for Iceberg. Resolves to a sentence when it cannot be had here. */
export const startTrino = async (): Promise<Trino | string> => {
  const java = await findJava()
  if (java === undefined) return `There is no Java ${OLDEST_JAVA} or newer, on which Trino ${VERSION} runs.`
  const folder = await fetchTrino()
  if (folder === undefined) return `Maven could not bring io.trino:trino-server:${VERSION}:tar.gz.`
  const home = await mkdtemp(join(tmpdir(), 'trino-'))
  await mkdir(join(home, 'plugin'))
  await symlink(join(folder, 'plugin/iceberg'), join(home, 'plugin/iceberg'))
  const port = await freePort()
  await writeFile(join(home, 'config.properties'), configOf(port, join(home, 'plugin')))
  const log = await open(join(home, 'trino.log'), 'w')
  const given = [
    ...JVM,
    '-Dconfig=config.properties',
    '-cp',
    join(folder, 'lib/*'),
    'io.trino.server.TrinoServer',
  ]
  const child = spawn(java, given, { cwd: home, stdio: ['ignore', log.fd, log.fd] })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill()
    await ended
    await log.close()
    await rm(home, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  if (await isReady(url, () => child.exitCode === null)) return { url, stop }
  child.kill()
  await ended
  await log.close()
  return `Trino ${VERSION} did not start: ${join(home, 'trino.log')} says why.`
}

const MOST_SECONDS = 600

const isReady = async (url: string, isAlive: () => boolean): Promise<boolean> => {
  for (let seconds = 0; seconds < MOST_SECONDS && isAlive(); seconds++) {
    const info: unknown = await fetch(`${url}/v1/info`).then(
      response => response.json(),
      () => undefined,
    )
    if (info && Reflect.get(info, 'starting') === false) return true
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
  return false
}
