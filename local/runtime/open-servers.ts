import { join } from 'node:path'
import type { StackConfig } from '../../infra/stack-config.ts'
import { type BucketTraits, buckets, type FunctionName } from '../../infra/system.ts'
import type { DurableFiles } from '../durable/durable-files.ts'
import { closeServer, listen } from '../http/listening.ts'
import { ItemDatabase } from '../items/item-database.ts'
import { type EmbeddedS3, startEmbeddedS3 } from '../s3/server.ts'
import { controlServer } from './control.ts'
import type { DataDir } from './data-dir.ts'
import type { Operations } from './host/by-message.ts'
import type { TlsOptions } from './lambda/protocol.ts'
import { listening } from './listening.ts'
import { allBuckets, bucketName, roleOfFunction } from './names.ts'
import { documentsOfRoles, type HostFor, type RightsOf, rightsOn } from './rights.ts'

export interface RunSystemOptions {
  readonly dataDir: DataDir
  readonly config: StackConfig
  /** Folder of the functions' bundles. */
  readonly bundles: string
  /** Default: see `rightsOn`. */
  readonly rightsOf?: RightsOf | undefined
  /** See `EmbeddedCloudOptions`. */
  readonly hostFor?: HostFor | undefined
  readonly apiPort: number
  readonly s3Port: number
  readonly bind: string
  readonly tls?: TlsOptions | undefined
  readonly token: string | undefined
  readonly files: DurableFiles
  readonly log: (line: string) => void
}

export type OnLanded = (event: Readonly<Record<string, unknown>>) => Promise<void>

/** The items, S3, which knows who calls it, and the port for commands of the owner. */
export const openServers = async (
  options: RunSystemOptions,
  names: readonly FunctionName[],
  resources: AsyncDisposableStack,
) => {
  const { dataDir, config, files, log, s3Port, bind, rightsOf = rightsOn(config) } = options
  const { root } = dataDir
  const ofFunctions = new Set(names.map(roleOfFunction))
  const control = Promise.withResolvers<Operations>()
  const controls = controlServer(control.promise, { secretAccessKey: root.secretAccessKey, log })
  const controlUrl = `http://127.0.0.1:${await listen(controls)}`
  resources.defer(() => closeServer(controls))
  const items = await ItemDatabase.open(join(dataDir.path, 'items'), files)
  resources.defer(() => items.close())
  // Events wait in S3's outbox until there are machines to take them.
  const landed = Promise.withResolvers<OnLanded>()
  const starting = startEmbeddedS3({
    dataDir: join(dataDir.path, 's3'),
    host: bind,
    port: s3Port,
    root,
    files,
    roles: documentsOfRoles(names, rightsOf),
    onObjectCreated: async event => (await landed.promise)({ ...event }),
    isServedWhileDraining: roleArn => ofFunctions.has(roleArn),
  })
  const s3 = await listening(starting, { what: 'S3', port: s3Port, variable: 'MILLRACE_S3_PORT', bind })
  resources.defer(() => s3.close())
  return { control, controlUrl, items, s3, landed }
}

export const createBuckets = async (
  s3: EmbeddedS3,
  { shape, tableVersionDays }: StackConfig,
): Promise<void> => {
  const ofService = ['files', 'tables']
  for (const name of allBuckets) {
    if (shape === 'functions' && ofService.includes(name)) continue
    const traits: BucketTraits = buckets[name]
    const versionDays = name === 'tables' ? tableVersionDays : (traits.versionDays ?? 0)
    await s3.createBucket(bucketName(name), {
      versioned: versionDays > 0,
      eventBridge: traits.sendsEvents ?? false,
      answersBrowsers: traits.answersBrowsers ?? false,
      acceptsAcls: traits.acceptsAcls ?? false,
    })
  }
}
