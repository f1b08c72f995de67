import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { RoleKey } from '#lib/cloud/roles.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import { type ConnectionLimits, createLimitedServer, usualLimits } from '../http/limited-server.ts'
import { closeServer, listen } from '../http/listening.ts'
import { OpenRequests } from '../http/open-requests.ts'
import type { PolicyDocument } from './auth/policy-document.ts'
import { Sessions } from './auth/sessions.ts'
import { S3Error } from './errors.ts'
import { EventOutbox } from './events/event-outbox.ts'
import type { ObjectCreatedEvent } from './events/object-created.ts'
import { handleRequest, type RequestContext } from './handle-request.ts'
import type { BucketSettings } from './operation.ts'
import { Store } from './storage/store.ts'

export interface EmbeddedS3Options {
  /** Everything the server keeps; created when missing. Only one server can use it at a time. */
  dataDir: string
  /** Default 127.0.0.1. */
  host?: string
  /** Default 0: any free port. */
  port?: number
  /** The account's own key, which may do everything. */
  root: { accessKeyId: string; secretAccessKey: string }
  /** What the roles allow, by ARN. */
  roles?: ReadonlyMap<string, PolicyDocument>
  /** How the folder is written. Default: as MILLRACE_DURABILITY says. */
  files?: DurableFiles
  /** Called after each commit of an object in a bucket with `eventBridge`; again, also after a restart, until it resolves. */
  onObjectCreated?: (event: ObjectCreatedEvent) => Promise<void>
  /** Roles whose sessions are still answered while the server drains, because others need them to finish. Default: none. */
  isServedWhileDraining?: (roleArn: string) => boolean
  limits?: ConnectionLimits
}

export interface EmbeddedS3 {
  /** `http://127.0.0.1:PORT` */
  endpoint: string
  port: number
  /** Creates the bucket when it is missing. `versioned` and `eventBridge` stay as they are where they are not given. */
  createBucket(
    name: string,
    options?: BucketSettings & { versioned?: boolean; eventBridge?: boolean },
  ): Promise<void>
  /** A key of a role that never ends. It is for this process alone. */
  keyOf(roleArn: string): RoleKey
  /** A key of a role, for an hour. @param asked `policy` narrows what the role allows: JSON */
  assumeRole(asked: { roleArn: string; policy?: string }): Promise<RoleKey>
  /** Refuses new requests (503) and resolves when those under way have finished, or after `graceMs`. */
  drain(graceMs: number): Promise<void>
  /** Drains for up to two seconds, unless already done, and ends open requests. */
  close(): Promise<void>
}

const closeGraceMs = 2000

/** A century. */
const endlessMs = 100 * 365 * 24 * 3600 * 1000

/** Starts the embedded S3. Rejects when the port or the folder is in use, and for a policy that cannot be enforced. */
export const startEmbeddedS3 = async (options: EmbeddedS3Options): Promise<EmbeddedS3> => {
  const {
    host = '127.0.0.1',
    port = 0,
    roles = new Map<string, PolicyDocument>(),
    isServedWhileDraining = () => false,
    limits = usualLimits,
    files = new DurableFiles(),
  } = options
  const { accessKeyId: rootKeyId, secretAccessKey } = options.root
  const sessions = new Sessions(secretAccessKey, roles)
  const store = await Store.open(options.dataDir, files)
  const outbox = new EventOutbox(store.database, options.onObjectCreated)
  const openRequests = new OpenRequests()
  const buckets = new Map<string, BucketSettings>()
  const context: RequestContext = {
    store,
    outbox,
    limits,
    isAllowed: (principal, access) => sessions.isAllowed(principal, access),
    settingsOf: bucket => buckets.get(bucket) ?? {},
    findPrincipal: (accessKeyId, sessionToken) => {
      const session = sessionToken === undefined ? undefined : sessions.open(accessKeyId, sessionToken)
      if (openRequests.isDraining && !(session && isServedWhileDraining(session.roleArn)))
        throw new S3Error('ServiceUnavailable')
      return session ?? (accessKeyId === rootKeyId ? { secretAccessKey } : undefined)
    },
  }

  const underWay = new Set<Promise<void>>()
  const server = openServer(context, openRequests, underWay)
  const actualPort = await listen(server, { port, host }).catch(async error => {
    await store.close()
    throw error
  })
  outbox.deliverKept()

  return {
    endpoint: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    port: actualPort,
    createBucket: async (name, { versioned, eventBridge, ...settings } = {}) => {
      buckets.set(name, settings)
      await store.database.transaction(() => {
        store.buckets.create(name)
        if (versioned !== undefined) store.buckets.setVersioning(name, versioned)
        if (eventBridge !== undefined) store.buckets.setEventBridge(name, eventBridge)
      })
    },
    keyOf: roleArn => sessions.issue({ roleArn }, endlessMs),
    assumeRole: async asked => sessions.issue(asked),
    drain: graceMs => openRequests.drain(graceMs),
    close: async () => {
      await openRequests.drain(closeGraceMs)
      await closeServer(server)
      // A reply that was cut off releases its files a moment later, which needs the database.
      await Promise.allSettled(underWay)
      await outbox.close(closeGraceMs)
      await store.close()
    },
  }
}

const openServer = (
  context: RequestContext,
  openRequests: OpenRequests,
  underWay: Set<Promise<void>>,
): Server => {
  const answer = (isWaitingForContinue: boolean) => (message: IncomingMessage, response: ServerResponse) => {
    openRequests.add(response)
    const handled = handleRequest(message, response, context, isWaitingForContinue)
    underWay.add(handled)
    void handled.finally(() => underWay.delete(handled))
  }
  return (
    createLimitedServer(answer(false), context.limits, {
      noDelay: true,
      keepAliveTimeout: 60_000,
      // Enough for 2 KiB of metadata, a session token, and a presigned URL with both.
      maxHeaderSize: 32 * 1024,
    })
      // A waiting client gets "100 Continue" only after its signature and rights were checked.
      .on('checkContinue', answer(true))
  )
}
