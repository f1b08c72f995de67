import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ListObjectVersionsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { createAdaptorServer } from '@hono/node-server'
import { foreignCode } from '../../functions/lib/errors/codes.ts'
import { TransientError } from '../../functions/lib/errors/errors.ts'
import type { Failure } from '../../functions/lib/errors/machine-failure.ts'
import type { ItemTable } from '../../functions/lib/items/item-table.ts'
import type { LandedObject } from '../../functions/lib/landed-object.ts'
import { IF_EXISTS_FEATURE } from '../../functions/lib/storage-client/load-into-table.ts'
import { createStorageClient, type StorageClient } from '../../functions/lib/storage-client/storage-client.ts'
import { TABLE_EXISTS_CODE } from '../../functions/lib/storage-client/table-exists-code.ts'
import type { StartImportDependencies } from '../../functions/start-import/import-version.ts'
import { importStep } from '../../functions/start-import/start-import.ts'
import { createTransfer } from '../../functions/start-import/transfer.ts'
import { driveHere } from './drive-here.ts'
import { createTestRecords } from './import-records.ts'
import { createMemoryItemTable } from './memory-item-table.ts'
import { s3WithAt } from './s3-with.ts'
import { type StorageService, startStorageService } from './storage-service.ts'
import { startImport, type ToldImport, told } from './told-import.ts'

export const LANDING = 'landing'

export type Changes = Partial<StartImportDependencies>

/** How an execution of the import machine ended. */
export type ImportEnd =
  | { status: 'succeeded'; result: ToldImport }
  | { status: 'failed'; error: string; cause: string }

/** A storage service that is there already, and what answers in place of its app. */
export interface GivenService {
  service?: StorageService
  fetch?: (request: Request) => Response | Promise<Response>
  /** The records of the hook as something sees each call to them. */
  records?: (plain: ItemTable) => ItemTable
}

/** A landing bucket with versions, the storage service, and the import hook, all in this process. */
export const startLanding = async (given: GivenService = {}) => {
  const service = given.service ?? (await startStorageService({ jobWaitMs: 0 }))
  const api = createAdaptorServer({ fetch: given.fetch ?? service.app.fetch }) as Server // Without options it makes a plain HTTP server.
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
  const { port } = api.address() as AddressInfo // It listens on a port.
  const storage = createStorageClient({ baseUrl: `http://127.0.0.1:${port}`, token: service.token })
  const ended = new Set<string>()
  const plainRecords = createMemoryItemTable()
  const records = createTestRecords({
    table: given.records?.(plainRecords) ?? plainRecords,
    isRunning: async execution => !ended.has(execution),
  })
  await service.makeS3Bucket(LANDING, { versioned: true })
  const logged: string[] = []
  const note = (message: string) => void logged.push(message)
  const dependencies: StartImportDependencies = {
    s3: service.s3,
    transfer: createTransfer({
      s3: service.s3,
      ownFilesBucket: service.filesBucket,
      s3With: s3WithAt(service.s3Endpoint),
    }),
    storage,
    acceptedLoads: undefined,
    hasIfExists: of => of.knows(IF_EXISTS_FEATURE),
    records,
    rules: [],
    now: () => new Date(),
    log: { info: note, warn: note },
  }

  let sequence = 0
  let executions = 0
  const newExecution = (): string => `execution-${++executions}`

  const jobOf = async (jobId: number) => {
    for (;;) {
      const job = await storage.job(jobId)
      if (job.status === 'success' || job.status === 'error') return job
      await pause()
    }
  }

  /** The import machine. */
  const run = async (event: LandedObject, execution: string, changed: Changes): Promise<ImportEnd> => {
    let result: ToldImport | undefined
    let failure: Failure | undefined
    try {
      await driveHere({
        input: {
          source: 'aws.s3',
          'detail-type': 'Object Created',
          detail: {
            bucket: { name: event.bucket },
            object: { key: event.key, 'version-id': event.versionId, sequencer: event.sequencer },
          },
        },
        execution,
        step: async given => {
          const isJobLost = given.job?.status === 'error' && given.job.error.code !== TABLE_EXISTS_CODE
          const hasFailed = given.failure !== undefined || isJobLost
          const answer = await importStep(given, hasFailed ? dependencies : { ...dependencies, ...changed })
          if (answer?.next === 'failed') failure = answer.failure
          else if (answer !== undefined) result = told(answer)
          return answer
        },
        job: jobOf,
        wait: async () => void (await pause()),
        isFatal: error => error instanceof Error && error.name === 'TransientError',
      })
    } catch (error) {
      if (failure) return { status: 'failed', error: failure.code, cause: failure.message }
      throw error
    }
    if (!result) throw new Error('The machine has ended without an import')
    return { status: 'succeeded', result }
  }

  return {
    service,
    storage,
    records,
    dependencies,
    logged,
    newExecution,

    /** Puts an object; resolves to what S3's event would say. */
    land: async (
      key: string,
      content: string,
      metadata: Record<string, string> = {},
    ): Promise<LandedObject> => {
      const { VersionId } = await service.s3.send(
        new PutObjectCommand({ Bucket: LANDING, Key: key, Body: Buffer.from(content), Metadata: metadata }),
      )
      sequence += 1
      return {
        bucket: LANDING,
        key,
        versionId: VersionId,
        sequencer: sequence.toString(16).padStart(18, '0'),
      }
    },

    /** One execution of the import machine for an event. Rejects where a process would have died. */
    execute: (event: LandedObject, changed: Changes = {}, execution = newExecution()): Promise<ImportEnd> =>
      run(event, execution, changed),

    /** What the machine does when an execution has failed, so that a person may start the import again. */
    fail: (event: LandedObject, execution: string): Promise<ToldImport> =>
      startImport(dependencies, { event, execution, failure: { Error: 'Error', Cause: 'failed' } }),

    /** Stops an execution from outside: it releases nothing. */
    stop: (execution: string): void => void ended.add(execution),

    versionsOf: async (key: string) =>
      (await service.s3.send(new ListObjectVersionsCommand({ Bucket: LANDING, Prefix: key }))).Versions ?? [],

    /** Rows of a table without its header, in its order. */
    rowsOf: async (tableId: string): Promise<string[]> => {
      const { status, text } = await service.call(
        'GET',
        `/v2/storage/tables/${tableId}/data-preview?limit=1000`,
      )
      return status === 404 ? [] : text.trimEnd().replaceAll('"', '').split('\n').slice(1)
    },

    close: async (): Promise<void> => {
      await new Promise(resolve => api.close(resolve))
      if (!given.service) await service.close()
    },
  }
}

export type TestLanding = Awaited<ReturnType<typeof startLanding>>

/** S3 as it is while these versions cannot be read. */
export const unreadable = (s3: S3Client, versionIds: ReadonlySet<string | undefined>): S3Client => {
  const send = async (command: { input: { VersionId?: string } }) => {
    if (versionIds.has(command.input.VersionId)) throw new Error('AccessDenied')
    return Reflect.apply(s3.send, s3, [command])
  }
  return new Proxy(s3, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) })
}

const pause = () => new Promise(resolve => setTimeout(resolve, 5))

/** Calls through, and dies before or after the n-th call of any of these functions. */
export const dyingAt = (
  call: number,
  when: 'before' | 'after',
  of: Pick<StartImportDependencies, 'storage' | 'records'>,
) => {
  let calls = 0
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value = Reflect.get(object, name)
        if (typeof value !== 'function') return value
        // No call by itself: it hands out the store of one key, whose calls count.
        if (name === 'leaseOf') return (...args: unknown[]) => wrap(value.apply(object, args))
        return async (...args: unknown[]) => {
          calls += 1
          if (calls > call || (calls === call && when === 'before')) throw new Died()
          const result = await value.apply(object, args)
          if (calls === call) throw new Died()
          return result
        }
      },
    })
  const storage: StorageClient = wrap(of.storage)
  return { storage, records: wrap(of.records) }
}

/** Stands for the death of a process: no step catches it. */
export class Died extends TransientError {
  constructor() {
    super(foreignCode('test.died'), 'died')
  }
}
