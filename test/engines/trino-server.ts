import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchMavenArchive, findJava } from '../contracts/implementations/cache.ts'
import { type Implementation, startProcess } from '../contracts/implementations/start-process.ts'

/** The one with which our tables were first read. */
const VERSION = '476'
const OLDEST_JAVA = 24

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

/** Starts a Trino with its connector for Iceberg. Resolves to a sentence when it cannot be had here. */
export const startTrino = async (): Promise<Implementation | string> => {
  const java = await findJava(OLDEST_JAVA)
  if (java === undefined) return `There is no Java ${OLDEST_JAVA} or newer, on which Trino ${VERSION} runs.`
  const artifact = `io.trino:trino-server:${VERSION}`
  const folder = await fetchMavenArchive(artifact)
  if (folder === undefined) return `Maven could not bring ${artifact}:tar.gz.`
  const commandOf = async (port: number, home: string) => {
    await mkdir(join(home, 'plugin'))
    await symlink(join(folder, 'plugin/iceberg'), join(home, 'plugin/iceberg'))
    await writeFile(join(home, 'config.properties'), configOf(port, join(home, 'plugin')))
    const program = [
      '-Dconfig=config.properties',
      '-cp',
      join(folder, 'lib/*'),
      'io.trino.server.TrinoServer',
    ]
    return { command: java, given: [...JVM, ...program] }
  }
  return startProcess('trino', commandOf, isReady)
}

const isReady = async (url: string): Promise<boolean> => {
  const info: unknown = await fetch(`${url}/v1/info`).then(response => response.json())
  return info instanceof Object && Reflect.get(info, 'starting') === false
}
