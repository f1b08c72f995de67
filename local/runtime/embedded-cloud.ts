import type { Host } from '#lib/cloud/host.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import { readStorageToken } from '../../functions/lib/storage-client/storage-token.ts'
import { relaxedNotice } from '../durable/durability.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import type { EndedExecution } from '../machines/execution-store.ts'
import { region } from '../s3/account.ts'
import { certificateFor } from './api/certificate.ts'
import { keepInUse } from './build-cache.ts'
import { bundlesFolder } from './bundles.ts'
import { openDataDir } from './data-dir.ts'
import { localConfig } from './local-config.ts'
import { machineArnFrom } from './machine-output.ts'
import type { HostFor, RightsOf } from './rights.ts'
import { runSystem } from './run-system.ts'
import { announceCloud, withdrawCloud } from './running-cloud.ts'

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
  /** Stack configuration over that of cdk.json (infra/stack-config.ts), as `cdk -c` would give it. */
  readonly context?: Readonly<Record<string, unknown>>
  /** Folder with a folder for each function's bundle. Default: made from the sources, or reused when they have not changed. */
  readonly bundles?: string
  /** What each function may do in S3. Default: see `rightsOn`. */
  readonly rightsOf?: RightsOf
  /** What each function reaches of its host. Default: all of it. */
  readonly hostFor?: HostFor
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
  /** The items of a table by its name. */
  items(tableName: string): ItemTable
  /** Runs a state machine by its construct name (`import`) to its end, whatever that is. */
  execute(machine: string, input: unknown): Promise<EndedExecution>
  /** Stops accepting, gives running work some seconds, and leaves the rest to the next start on this data directory. */
  close(): Promise<void>
}

/**
 * Runs the whole system of infra/system.ts in this process.
 *
 * Resolves when everything is ready. Rejects with what is wrong: a port or a data directory in use, a configuration that is not
 * valid, a bundle that does not load.
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
  const config = localConfig(bind, options.context)
  await using starting = new AsyncDisposableStack()
  const dataDir = await openDataDir(options.dataDir, { files, log })
  starting.defer(dataDir.release)
  const bundles = options.bundles ?? (await bundlesFolder())
  if (options.bundles === undefined) starting.defer(keepInUse(bundles))
  const shown = options.tls && (await certificateFor(options.tls.name, dataDir.path))
  const tls = options.tls && shown && { ...options.tls, ...shown }
  const { rightsOf, hostFor } = options
  const running = await runSystem(
    { dataDir, config, bundles, rightsOf, hostFor, apiPort, s3Port, bind, tls, token, files, log },
    starting,
  )

  const { outputs, executions, endpoints } = running
  const { api } = endpoints
  const facts: CloudFacts = {
    api,
    import: api,
    s3: endpoints.s3,
    region,
    token: readStorageToken(running.secrets.value),
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
    region,
    ...dataDir.root,
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
    execute: async (machine, input) => {
      const { executionArn } = await executions.start(machineArnFrom(outputs, machine), JSON.stringify(input))
      return executions.finished(executionArn)
    },
    close: () => resources.disposeAsync(),
  }
}
