import type { Host } from '#lib/cloud/host.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import { readStorageToken } from '../../functions/lib/storage-client/storage-token.ts'
import { relaxedNotice } from '../durable/durability.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import { certificateFor } from './api/certificate.ts'
import { keepInUse } from './build-cache.ts'
import { openDataDir } from './data-dir.ts'
import type { EndedExecution } from './executions/execution-store.ts'
import { dropOldCompiledCode } from './lambda/compiled-code.ts'
import { machineArnFrom } from './machine-output.ts'
import { publishedAssembly, stackContext } from './published-assembly.ts'
import { account } from './resources/resource-type.ts'
import { runStack } from './run-stack.ts'
import { announceCloud, withdrawCloud } from './running-cloud.ts'
import { synthesise } from './synthesise.ts'
import { readAssembly } from './template/assembly.ts'

export interface EmbeddedCloudOptions {
  /** Holds everything; made when missing. One process at a time. */
  readonly dataDir: string
  /** Default 0: any free one. */
  readonly apiPort?: number
  /** Default 0: any free one. */
  readonly s3Port?: number
  /** Address that the API and S3 listen at. Default 127.0.0.1. */
  readonly bind?: string
  /** Serves the API with TLS and HTTP/2, too, under this name and all below it. Port 0: any free one. Default: it does not. */
  readonly tls?: { readonly name: string; readonly port: number } | undefined
  /** Master storage token. Default: made at the first start and kept in the data directory. */
  readonly token?: string
  /** A cloud assembly (`cdk.out`) to run. Default: made from the sources, or reused when they have not changed. */
  readonly assembly?: string
  /** Stack configuration over that of cdk.json (infra/stack-config.ts), as `cdk -c` would give it. Not with `assembly`. */
  readonly context?: Readonly<Record<string, unknown>>
  /** How the data directory is written. Default: as MILLRACE_DURABILITY says. */
  readonly files?: DurableFiles
  /** Told what happens, one line at a time. Default: nobody. */
  readonly log?: (line: string) => void
}

/** What the ready line says (README, "Run it"). A part that the stack lacks is missing. */
export interface CloudFacts {
  readonly api: string
  readonly import: string
  readonly s3: string
  readonly region: string
  readonly token: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly landingBucket: string | undefined
  readonly filesBucket: string | undefined
  readonly exportsBucket: string | undefined
  /** The API with TLS, and the file of the certificate that its clients must trust. Undefined: there is none. */
  readonly tls?: { readonly api: string; readonly certificate: string } | undefined
}

export interface EmbeddedCloud extends CloudFacts {
  /** Where commands of the owner ask; see `controlOf`. */
  readonly control: string
  /** The stack's outputs by name. */
  describeOutputs(): Readonly<Record<string, string>>
  /** What functions reach, without the bounds of a role. */
  readonly host: Host
  /** What was sent to a queue, by its URL, oldest first. */
  messages(queueUrl: string): readonly string[]
  /** The items of a table by its name. */
  items(tableName: string): ItemTable
  /** Runs a state machine by its construct name (`import`) to its end, whatever that is. */
  execute(machine: string, input: unknown): Promise<EndedExecution>
  /** Puts an event on the bus as an AWS service would; resolves when every target has taken it. */
  deliver(event: Readonly<Record<string, unknown>>): Promise<void>
  /** Stops accepting, gives running work some seconds, and leaves the rest to the next start on this data directory. */
  close(): Promise<void>
}

/**
 * Runs the whole stack in this process: every resource of the synthesised template under local names.
 *
 * Resolves when everything is ready. Rejects with what is wrong: a port or a data directory in use, a part of the
 * template that is not known (`UnsupportedError`), a bundle that does not load.
 */
export const startEmbeddedCloud = async (options: EmbeddedCloudOptions): Promise<EmbeddedCloud> => {
  const {
    apiPort = 0,
    s3Port = 0,
    bind = '127.0.0.1',
    token,
    files = new DurableFiles(),
    log = () => {},
  } = options
  if (files.durability === 'relaxed') log(relaxedNotice)
  const given = options.assembly ?? publishedAssembly(bind, options.context)
  await using starting = new AsyncDisposableStack()
  const dataDir = await openDataDir(options.dataDir, { files, log })
  starting.defer(dataDir.release)
  const directory = given ?? (await synthesise(stackContext(bind, options.context)))
  if (given === undefined) starting.defer(keepInUse(directory))
  starting.defer(dropOldCompiledCode())
  const assembly = await readAssembly(directory)
  const shown = options.tls && (await certificateFor(options.tls.name, dataDir.path))
  const tls = options.tls && shown && { ...options.tls, ...shown }
  const running = await runStack(
    { dataDir, assembly, apiPort, s3Port, bind, tls, token, files, log },
    starting,
  )

  const { outputs, executions, endpoints } = running
  const tokenSecret = outputs['StorageTokenSecret']
  const api = running.hasApi ? endpoints.api : (outputs['ApiUrl'] ?? '')
  const facts: CloudFacts = {
    api,
    import: api,
    s3: endpoints.s3,
    region: account.region,
    token: tokenSecret && readStorageToken(running.secrets.find(tokenSecret).value),
    ...dataDir.root,
    landingBucket: outputs['LandingBucket'],
    filesBucket: outputs['FilesBucket'],
    exportsBucket: outputs['ExportsBucket'],
    tls: tls && {
      api: `https://${tls.name}:${running.tlsPort}`,
      certificate: tls.file,
    },
  }
  await announceCloud(files, dataDir.path, {
    pid: process.pid,
    ...endpoints,
    api,
    region: account.region,
    ...dataDir.root,
    stackName: assembly.stackName,
    outputs,
  })
  starting.defer(() => withdrawCloud(files, dataDir.path))

  // All is well: from here on `close` is who ends it.
  const resources = starting.move()
  return {
    ...facts,
    control: endpoints.control,
    describeOutputs: () => outputs,
    host: running.host,
    items: running.items,
    messages: running.messages,
    execute: async (machine, input) => {
      const { executionArn } = await executions.start(machineArnFrom(outputs, machine), JSON.stringify(input))
      return executions.finished(executionArn)
    },
    deliver: event => running.router.deliver(event),
    close: () => resources.disposeAsync(),
  }
}
