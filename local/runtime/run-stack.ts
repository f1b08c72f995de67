import { join } from 'node:path'
import type { Host } from '#lib/cloud/host.ts'
import { createItemTable, type ItemTable } from '#lib/items/item-table.ts'
import { closeServer, listen } from '../http/listening.ts'
import { ItemDatabase } from '../items/item-database.ts'
import { startItemExpiry } from '../items/item-expiry.ts'
import { type EmbeddedS3, startEmbeddedS3 } from '../s3/server.ts'
import { type Control, controlServer } from './control.ts'
import type { EventRouter } from './events/event-router.ts'
import { ExecutionStore, statusChange } from './executions/execution-store.ts'
import { Executions } from './executions/executions.ts'
import { runTask } from './executions/task-resources.ts'
import { hostOf } from './host/host-of.ts'
import { serveHost } from './host/serve-host.ts'
import { Keys } from './keys/keys.ts'
import { Functions, type ServeHost } from './lambda/functions.ts'
import { RoleCredentials } from './lambda/role-credentials.ts'
import { listeningError } from './listening-error.ts'
import { Queues } from './queues/queues.ts'
import { key, secret } from './resources/access.ts'
import { bucket } from './resources/data.ts'
import { queue } from './resources/messages.ts'
import { RolePolicies } from './role-policies.ts'
import type { RunStackOptions } from './run-stack-options.ts'
import { Secrets } from './secrets/secrets.ts'
import { serveApi } from './serve-api.ts'
import { functionConcurrency, functionDefinitions, rolePolicies, stateMachines } from './stack-functions.ts'
import { eventRouter, scheduler } from './stack-rules.ts'
import { readStack, type Stack } from './template/stack.ts'

interface RunningStack {
  readonly outputs: Readonly<Record<string, string>>
  readonly hasApi: boolean
  readonly tlsPort: number | undefined
  readonly endpoints: {
    readonly api: string
    readonly s3: string
    readonly control: string
  }
  readonly secrets: Secrets
  readonly executions: Executions
  readonly router: EventRouter
  readonly host: Host
  readonly items: (tableName: string) => ItemTable
  readonly messages: (queueUrl: string) => readonly string[]
}

/**
 * How long running requests and invocations may take to finish when the cloud closes; what takes longer is cut off and
 * begun again at the next start. Threads in native code may need two seconds more to end.
 */
const closeGraceMs = 4_000

/** What the first file needs, by logical id: the import hook, the poller, the runner of jobs. Only these are loaded in advance: a container takes about 25 MB. */
const NEEDED_FIRST = /^(?:ImportStartImport|PollJob|StorageRunJob)/

/**
 * Starts everything in the order in which one part needs another, and registers how to end it on `resources`.
 *
 * Addresses come first, since names and environments are made from them; then stores, functions and machines; the
 * executions that were under way last, when all that they call is there.
 */
export const runStack = async (
  options: RunStackOptions,
  resources: AsyncDisposableStack,
): Promise<RunningStack> => {
  const { dataDir, assembly, bind, files, log } = options
  const within = (name: string) => join(dataDir.path, name)

  const { draft, documents, concurrency } = readDraft(options)

  const servers = await openServers(options, resources, documents)
  const { control, controlUrl, items, s3, router, credentials, policies } = servers
  const host = Promise.withResolvers<Host>()
  const serveHostTo: ServeHost = (port, roleArn) =>
    serveHost(port, host.promise, ({ action, resource, context }) =>
      policies.isAllowed({ roleArn }, action, resource, context),
    )
  const api = await serveApi({ ...options, draft, serveHost: serveHostTo, concurrency }, resources)
  const endpoints = {
    api: api === undefined ? 'http://api' : addressOf(bind, api.server.port),
    s3: addressOf(bind, s3.port),
    control: controlUrl,
  }
  const stack = readStack(assembly.template, assembly.stackName, endpoints.api)

  await createBuckets(s3, stack)
  const expiry = startItemExpiry(items, log)
  resources.defer(() => expiry.close())
  const queues = await openQueues(within('queues'), stack, { files, log })
  const secrets = await openSecrets(within('secrets'), stack, options)
  const functions = await Functions.open({
    definitions: functionDefinitions(stack, assembly),
    s3: endpoints.s3,
    credentials,
    dataDir: dataDir.path,
    serveHost: serveHostTo,
    concurrency,
  })
  resources.defer(() => functions.close(0))

  const { executions, events, schedules } = openMachines(stack, {
    store: await ExecutionStore.open(within('executions'), { files, log }),
    deliver: async event => (await router.promise).deliver(event),
    // The jobs of a hosted service run elsewhere.
    seesAllEnds: api !== undefined,
    targets: { functions, queues, policies, log },
  })
  const kmsKeys = await openKeys(within('keys'), stack, { files, log })
  const ports = hostOf({ items, executions, keys: kmsKeys, secrets, functions, s3 })
  host.resolve(ports)
  control.resolve({
    ...ports,
    putSecret: (secretArn, value) => secrets.put(secretArn, value),
    statesOf: async executionArn => executions.history(executionArn).map(({ name }) => name),
  })

  await api?.server.load(() => functions.environment(api.functionArn))
  resources.defer(async () => {
    schedules.close()
    executions.close()
    // Side by side, for they need each other to finish: the API its functions' rights, functions S3 and the items.
    const draining = [api?.server.drain(closeGraceMs), s3.drain(closeGraceMs)]
    await Promise.all([...draining, functions.close(closeGraceMs)])
  })
  const resumed = executions.resume()
  if (resumed > 0) log(`${resumed} executions that were under way are taken up again`)
  router.resolve(events)
  schedules.start({ hasEarlierWork: !dataDir.isNew })
  // In the background and one after the other, so that the first file does not wait for bundles to load.
  void functions.warm(NEEDED_FIRST)

  return {
    outputs: stack.outputs,
    hasApi: api !== undefined,
    tlsPort: api?.server.tlsPort,
    endpoints,
    secrets,
    executions,
    router: events,
    host: ports,
    items: name => createItemTable(items.table(name)),
    messages: url => [...queues.byUrl(url).messages.values()].map(({ body }) => body),
  }
}

/** The items, S3, which knows who calls it, and the port for commands of the owner. */
const openServers = async (
  options: RunStackOptions,
  resources: AsyncDisposableStack,
  documents: ReturnType<typeof rolePolicies>,
) => {
  const { dataDir, files, log } = options
  const policies = new RolePolicies(documents)
  const control = Promise.withResolvers<Control>()
  const controls = controlServer(control.promise, { secretAccessKey: dataDir.root.secretAccessKey, log })
  const controlUrl = `http://127.0.0.1:${await listen(controls)}`
  resources.defer(() => closeServer(controls))
  const items = await ItemDatabase.open(join(dataDir.path, 'items'), files)
  resources.defer(() => items.close())
  // Events wait in S3's outbox until there is a router to take them.
  const router = Promise.withResolvers<EventRouter>()
  const credentials: RoleCredentials = new RoleCredentials(request => s3.assumeRole(request))
  const s3: EmbeddedS3 = await startS3(
    options,
    documents,
    async event => (await router.promise).deliver({ ...event }),
    accessKeyId => credentials.has(accessKeyId),
  )
  resources.defer(() => s3.close())

  return { control, controlUrl, items, s3, router, credentials, policies }
}

/** Names and rights do not depend on addresses, so a template that is not known is refused before any port is taken. */
const readDraft = ({ assembly }: RunStackOptions) => {
  const draft = readStack(assembly.template, assembly.stackName, 'http://api')
  stateMachines(draft)
  const concurrency = functionConcurrency(draft, functionDefinitions(draft, assembly))
  return { draft, documents: rolePolicies(draft), concurrency }
}

interface Machines {
  store: ExecutionStore
  deliver: EventRouter['deliver']
  seesAllEnds: boolean
  /** Whom executions, events and schedules call. */
  targets: Pick<Parameters<typeof eventRouter>[1], 'functions' | 'queues' | 'policies' | 'log'>
}

/** Executions announce what they do as events, and events start executions. */
const openMachines = (stack: Stack, { store, deliver, seesAllEnds, targets }: Machines) => {
  const executions: Executions = new Executions({
    store,
    machines: stateMachines(stack),
    runTask: (resource, input, context) => runTask(resource, input, context, targets),
    announce: async record => deliver(statusChange(record)),
    isHeard: record => events.isHeard(statusChange(record)),
    seesAllEnds,
    log: targets.log,
  })
  const events = eventRouter(stack, { executions, ...targets })
  const schedules = scheduler(stack, { executions, ...targets })
  return { executions, events, schedules }
}

/** An address that a process on this machine can call. */
const addressOf = (bind: string, port: number): string => {
  const host = bind === '0.0.0.0' ? '127.0.0.1' : bind === '::' ? '::1' : bind
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const startS3 = async (
  { dataDir, s3Port, bind, files }: RunStackOptions,
  roles: ReturnType<typeof rolePolicies>,
  onObjectCreated: (event: object) => Promise<void>,
  isServedWhileDraining: (accessKeyId: string) => boolean,
): Promise<EmbeddedS3> => {
  try {
    return await startEmbeddedS3({
      dataDir: join(dataDir.path, 's3'),
      host: bind,
      port: s3Port,
      root: dataDir.root,
      roles,
      files,
      onObjectCreated,
      isServedWhileDraining,
    })
  } catch (error) {
    throw listeningError(error, { what: 'S3', port: s3Port, variable: 'MILLRACE_S3_PORT', bind })
  }
}

const createBuckets = async (s3: EmbeddedS3, stack: Stack): Promise<void> => {
  for (const { name, properties } of stack.ofType(bucket)) {
    const eventBridge =
      properties.NotificationConfiguration?.EventBridgeConfiguration.EventBridgeEnabled ?? false
    await s3.createBucket(name, {
      versioned: properties.VersioningConfiguration?.Status === 'Enabled',
      eventBridge,
      answersBrowsers: properties.CorsConfiguration !== undefined,
      acceptsAcls: properties.OwnershipControls !== undefined,
    })
  }
}

type Writing = Pick<RunStackOptions, 'files' | 'log'>

const openQueues = (folder: string, stack: Stack, writing: Writing): Promise<Queues> =>
  Queues.open(
    folder,
    stack.ofType(queue).map(({ name, arn, properties }) => ({
      name,
      arn,
      retentionSeconds: properties.MessageRetentionPeriod,
    })),
    writing,
  )

const openKeys = (folder: string, stack: Stack, writing: Writing): Promise<Keys> =>
  Keys.open(
    folder,
    stack.ofType(key).map(({ arn }) => arn),
    writing,
  )

const openSecrets = (
  folder: string,
  stack: Stack,
  { token, files, log }: RunStackOptions,
): Promise<Secrets> => {
  const tokenSecret = stack.outputs['StorageTokenSecret']
  return Secrets.open(
    folder,
    stack.ofType(secret).map(({ name, ref, properties }) => ({ name, arn: ref, properties })),
    new Map(token && tokenSecret ? [[tokenSecret, token]] : []),
    { files, log },
  )
}
