import { join } from 'node:path'
import type { StackConfig } from '../../infra/stack-config.ts'
import { type BucketTraits, buckets, type FunctionName } from '../../infra/system.ts'
import { closeServer, listen } from '../http/listening.ts'
import { ItemDatabase } from '../items/item-database.ts'
import { type EmbeddedS3, startEmbeddedS3 } from '../s3/server.ts'
import { type Control, controlServer } from './control.ts'
import { listeningError } from './listening-error.ts'
import { allBuckets, bucketName, roleOfFunction } from './names.ts'
import { documentsOfRoles, rightsOn } from './rights.ts'
import { RolePolicies } from './role-policies.ts'
import type { RunSystemOptions } from './run-system-options.ts'

export type OnLanded = (event: Readonly<Record<string, unknown>>) => Promise<void>

/** The items, S3, which knows who calls it, and the port for commands of the owner. */
export const openServers = async (
  options: RunSystemOptions,
  names: readonly FunctionName[],
  resources: AsyncDisposableStack,
) => {
  const { dataDir, config, files, log, rightsOf = rightsOn(config) } = options
  const documents = documentsOfRoles(names, rightsOf)
  const policies = new RolePolicies(documents)
  const ofFunctions = new Set(names.map(roleOfFunction))
  const control = Promise.withResolvers<Control>()
  const controls = controlServer(control.promise, { secretAccessKey: dataDir.root.secretAccessKey, log })
  const controlUrl = `http://127.0.0.1:${await listen(controls)}`
  resources.defer(() => closeServer(controls))
  const items = await ItemDatabase.open(join(dataDir.path, 'items'), files)
  resources.defer(() => items.close())
  // Events wait in S3's outbox until there are machines to take them.
  const landed = Promise.withResolvers<OnLanded>()
  const s3 = await startS3(options, {
    roles: documents,
    onObjectCreated: async event => (await landed.promise)({ ...event }),
    isServedWhileDraining: roleArn => ofFunctions.has(roleArn),
  })
  resources.defer(() => s3.close())
  return { control, controlUrl, items, s3, landed, policies }
}

const startS3 = async (
  { dataDir, s3Port, bind, files }: RunSystemOptions,
  more: Pick<Parameters<typeof startEmbeddedS3>[0], 'roles' | 'onObjectCreated' | 'isServedWhileDraining'>,
): Promise<EmbeddedS3> => {
  try {
    return await startEmbeddedS3({
      dataDir: join(dataDir.path, 's3'),
      host: bind,
      port: s3Port,
      root: dataDir.root,
      files,
      ...more,
    })
  } catch (error) {
    throw listeningError(error, { what: 'S3', port: s3Port, variable: 'MILLRACE_S3_PORT', bind })
  }
}

export const createBuckets = async (
  s3: EmbeddedS3,
  { shape, tableVersionDays }: StackConfig,
): Promise<void> => {
  const ofService = ['files', 'tables']
  for (const name of allBuckets) {
    if (shape === (ofService.includes(name) ? 'functions' : 'storage')) continue
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
