import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Host } from '#lib/cloud/host.ts'
import { createItemTable } from '#lib/items/item-table.ts'
import { LANDING_RULES_FILE } from '../../functions/start-import/landing-rules.ts'
import { SCHEDULES_FILE } from '../../functions/tick/schedules-file.ts'
import type { FunctionName } from '../../infra/system.ts'
import { startItemExpiry } from '../items/item-expiry.ts'
import { ExecutionStore } from '../machines/execution-store.ts'
import { Executions } from '../machines/executions.ts'
import { machinesOf } from '../machines/machines-of.ts'
import { ApiServer } from './api/api-server.ts'
import { Clocks } from './clocks.ts'
import { tellingEnds } from './ends.ts'
import { type Operations, operationsOf } from './host/by-message.ts'
import { openKey } from './keys.ts'
import { functionDefinition } from './lambda/function-definition.ts'
import { Functions } from './lambda/functions.ts'
import { openLogFile } from './lambda/log-file.ts'
import { createOwnerOf, type OwnerOf } from './lambda/owner-of.ts'
import { listening } from './listening.ts'
import { itemTables, machineArn, roleOfFunction, secretsKeyArn } from './names.ts'
import { createBuckets, type OnLanded, openServers, type RunSystemOptions } from './open-servers.ts'
import { openSecrets } from './secrets.ts'
import { ServiceError } from './service-error.ts'
import { functionsOf, outputsOf, variables } from './system.ts'
import { systemMachines } from './system-machines.ts'

/**
 * How long running requests and invocations may take to finish when the cloud closes; what takes longer is cut off and
 * begun again at the next start.
 */
const closeGraceMs = 4_000

/** What the first file needs. Only these are loaded in advance: a container takes about 25 MB. */
const NEEDED_FIRST: readonly FunctionName[] = ['start-import', 'poll-job', 'run-job']

/**
 * Starts everything in the order in which one part needs another, and registers how to end it on `resources`.
 *
 * Addresses come first, since environments are made from them; then stores, functions and machines; the executions that were
 * under way last, when all that they call is there.
 */
export const runSystem = async (options: RunSystemOptions, resources: AsyncDisposableStack) => {
  const { dataDir, config, bind, files, log } = options
  if (config.shape === 'functions' && options.token === undefined)
    throw new Error(
      'With storageUrl, MILLRACE_TOKEN has to be a token of that service: on one machine it takes the place of storageTokenSecret.',
    )
  const within = (name: string) => join(dataDir.path, name)
  const names = functionsOf(config)

  const servers = await openServers(options, names, resources)
  const { control, controlUrl, items, s3, landed } = servers
  const host = Promise.withResolvers<Host>()
  const { hostFor = given => given } = options
  const operationsFor = async (name: FunctionName) => operationsOf(hostFor(await host.promise, name))
  const api = names.includes('storage-api')
    ? await openApi(options, operationsFor('storage-api'), resources)
    : undefined
  const endpoints = {
    api: api === undefined ? (config.storageUrl ?? '') : addressOf(bind, api.ports.port),
    s3: addressOf(bind, s3.port),
    control: controlUrl,
  }

  await createBuckets(s3, config)
  resources.defer(startItemExpiry(items, log))
  const secrets = await openSecrets(within('secrets'), {
    token: options.token,
    projectId: config.projectId,
    files,
    log,
  })
  const functions = new Functions({
    definitions: await definitionsOf(options, names, endpoints.api),
    s3: endpoints.s3,
    keyOf: name => s3.keyOf(roleOfFunction(name)),
    dataDir: dataDir.path,
    hostOf: name => operationsFor(name as FunctionName), // As those of the definitions are.
  })
  resources.defer(() => functions.close(0))

  const { executions, clocks } = await openMachines(options, {
    names,
    functions,
    ownerOf: createOwnerOf(items.table(itemTables.storage), secrets.value),
    seesAllEnds: api !== undefined,
  })
  const keys = await openKey(within('keys'), secretsKeyArn, { files, log })
  const ports: Host = {
    items: name => items.table(name),
    machines: machinesOf(executions),
    keys,
    readSecret: secrets.read,
    assumeRole: s3.assumeRole,
    invoke: (name, event) => functions.invocation(name, event),
  }
  host.resolve(ports)
  control.resolve({
    ...operationsOf(ports),
    callsOf: executionArn => executions.calls(String(executionArn)),
  })

  await api?.load(functions.environment('storage-api'))
  resources.defer(async () => {
    clocks.close()
    executions.close()
    // Side by side, for they need each other to finish: the API its functions' rights, functions S3 and the items.
    await Promise.all([api?.drain(closeGraceMs), s3.drain(closeGraceMs), functions.close(closeGraceMs)])
  })
  const resumed = executions.resume()
  if (resumed > 0) log(`${resumed} executions that were under way are taken up again`)
  landed.resolve(names.includes('start-import') ? startImports(executions, log) : async () => {})
  clocks.start({ hasEarlierWork: !dataDir.isNew })
  // In the background and one after the other, so that the first file does not wait for bundles to load.
  void functions.warm(NEEDED_FIRST)

  return {
    outputs: outputsOf(config, endpoints.api),
    tlsPort: api?.ports.tlsPort,
    endpoints,
    secrets,
    executions,
    host: ports,
    items: (name: string) => createItemTable(items.table(name)),
  }
}

/** Opens the port of the HTTP API. The app is loaded later, when its environment is known. */
const openApi = async (
  { dataDir, bundles, apiPort, bind, tls, log }: RunSystemOptions,
  host: Promise<Operations>,
  resources: AsyncDisposableStack,
): Promise<ApiServer> => {
  const { codeFolder, memoryMiB } = functionDefinition('storage-api', bundles)
  const starting = ApiServer.listen({
    port: apiPort,
    bind,
    tls,
    codeFolder,
    memoryMiB,
    temporary: join(dataDir.path, 'tmp-api'),
    host,
    onOutput: openLogFile(join(dataDir.path, 'logs', 'storage-api.api.log')),
    log,
  })
  const api = { what: 'The HTTP API', port: apiPort, variable: 'MILLRACE_API_PORT', bind }
  const server = await listening(starting, api)
  resources.defer(() => server.close())
  return server
}

interface MachinesOptions {
  readonly names: readonly FunctionName[]
  readonly functions: Functions
  readonly ownerOf: OwnerOf
  /** The jobs of a hosted service run elsewhere. */
  readonly seesAllEnds: boolean
}

const openMachines = async (
  { dataDir, config, files, log }: RunSystemOptions,
  { names, functions, ownerOf, seesAllEnds }: MachinesOptions,
) => {
  const call = (name: FunctionName, event: unknown) => functions.invoke(name, event)
  const executions = new Executions({
    store: await ExecutionStore.open(join(dataDir.path, 'executions'), { files, log }),
    machines: systemMachines(config, { functions, ownerOf }, log),
    tellEnd: tellingEnds(call),
    seesAllEnds,
    log,
  })
  return { executions, clocks: new Clocks({ functions: names, call, log }) }
}

/** An event that comes twice is one execution, which its id names. */
const startImports =
  (executions: Executions, log: (line: string) => void): OnLanded =>
  async event => {
    try {
      await executions.start(machineArn('import'), JSON.stringify(event), String(event['id']))
    } catch (error) {
      if (error instanceof ServiceError && error.name === 'ExecutionAlreadyExists') return
      log(`an object landed and its import could not be started, trying again: ${String(error)}`)
      throw error
    }
  }

/** @param url of the storage API */
const definitionsOf = async (
  { config, bundles, dataDir }: RunSystemOptions,
  names: readonly FunctionName[],
  url: string,
) => {
  // Files beside their bundles say these, for there may be more than an environment can hold.
  const folder = join(dataDir.path, 'landing')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, LANDING_RULES_FILE), JSON.stringify(config.landingRules))
  await writeFile(join(folder, SCHEDULES_FILE), JSON.stringify(config.schedules))
  const ofAll = variables(config, { url, bundles })
  const withFiles = { ...ofAll, LAMBDA_TASK_ROOT: folder }
  return names.map(name => ({
    ...functionDefinition(name, bundles),
    environment: name === 'start-import' || name === 'tick' ? withFiles : ofAll,
  }))
}

/** An address that a process on this machine can call. */
const addressOf = (bind: string, port: number): string => {
  const host = bind === '0.0.0.0' ? '127.0.0.1' : bind === '::' ? '::1' : bind
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
