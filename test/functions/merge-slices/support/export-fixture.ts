import { randomBytes } from 'node:crypto'
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { type Export, mergeSlices } from '#functions/merge-slices/merge-slices.ts'
import type { MergeSlicesServices } from '#functions/merge-slices/services.ts'
import type { Answer } from '#lib/drive/step.ts'
import { asTransient } from '#lib/errors/as-transient.ts'
import { TransientError } from '#lib/errors/errors.ts'
import type { ReadableFile, StorageClient } from '#lib/storage-client/storage-client.ts'
import { driveHere } from '#support/drive-here.ts'
import { startTestS3, testRoot } from '#support/embedded-s3.ts'
import { startFaultProxy } from '#support/fault-proxy.ts'

const FILES = 'files'
const EXPORTS = 'exports'
const ROLE = 'arn:aws:iam::000000000000:role/file-access'

/** About as often as Step Functions. */
const ATTEMPTS = 4

/** Embedded S3 behind a proxy that can misbehave, a storage service of files and one table, and the export machine. */
export const startExportFixture = async () => {
  const policy = {
    Version: '2012-10-17' as const,
    Statement: [
      { Effect: 'Allow' as const, Action: 's3:GetObject', Resource: `arn:aws:s3:::${FILES}/*` },
      { Effect: 'Allow' as const, Action: 's3:ListBucket', Resource: `arn:aws:s3:::${FILES}` },
    ],
  }
  const store = await startTestS3({ roles: new Map([[ROLE, policy]]) })
  const proxy = await startFaultProxy(store.s3.endpoint)
  const plain = store.client
  for (const Bucket of [FILES, EXPORTS]) await plain.send(new CreateBucketCommand({ Bucket }))

  const clients: S3Client[] = []
  const clientOf = (credentials: ConstructorParameters<typeof S3Client>[0] & object) => {
    const client = new S3Client({
      endpoint: proxy.url,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1, // Every fault must reach our own code.
      ...credentials,
    })
    clients.push(client)
    return client
  }

  let files = 0
  const known = new Map<number, ReadableFile>()
  let columns = ['id', 'na"me']
  const events: Parameters<StorageClient['postEvent']>[0][] = []
  const storage: Pick<StorageClient, 'file' | 'table' | 'exportTable' | 'postEvent'> = {
    file: async fileId => {
      const file = known.get(fileId)
      if (!file) throw new Error(`no file ${fileId}`)
      const { accessKeyId, secretAccessKey, sessionToken } = await store.s3.assumeRole({ roleArn: ROLE })
      const credentials = {
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        SessionToken: sessionToken,
        Expiration: '',
      }
      return { ...file, credentials }
    },
    table: async () => ({ primaryKey: [], columns }),
    postEvent: async event => void events.push(event),
    exportTable: async () => ({ id: 7, status: 'waiting', url: '', operationParams: {} }),
  }
  const dependencies: MergeSlicesServices = {
    log: { warn: () => {} },
    s3: clientOf({ credentials: testRoot }),
    // The steps ask nothing else of the service.
    storage: storage as StorageClient,
    filesBucket: FILES,
    workBucket: EXPORTS,
    s3ForFile: ({ credentials }) =>
      clientOf({
        credentials: {
          accessKeyId: credentials.AccessKeyId,
          secretAccessKey: credentials.SecretAccessKey,
          sessionToken: credentials.SessionToken,
        },
      }),
  }

  let executions = 0

  return {
    files: FILES,
    exports: EXPORTS,
    s3: plain,
    proxy,
    dependencies,
    /** What was said of exports that failed. */
    events,
    setColumns: (names: string[]) => {
      columns = names
    },

    /** A sliced file of these contents; `manifest` in place of the right one. */
    upload: async (slices: Uint8Array[], { manifest }: { manifest?: unknown } = {}): Promise<number> => {
      files += 1
      const key = `exp-15/7/files/${files}.data.csv`
      const keys = slices.map((_, index) => `${key}_part_${String(index).padStart(6, '0')}`)
      for (const [index, Body] of slices.entries())
        await plain.send(new PutObjectCommand({ Bucket: FILES, Key: keys[index], Body }))
      const entries = keys.map(name => ({ url: `s3://${FILES}/${name}` }))
      const Body = JSON.stringify(manifest ?? { entries })
      await plain.send(new PutObjectCommand({ Bucket: FILES, Key: `${key}manifest`, Body }))
      known.set(files, {
        id: files,
        name: 'data.csv',
        region: 'us-east-1',
        isSliced: true,
        s3Path: { bucket: FILES, key },
        credentials: { AccessKeyId: '', SecretAccessKey: '', SessionToken: '', Expiration: '' },
      })
      return files
    },

    keyOf: (fileId: number): string => known.get(fileId)?.s3Path.key ?? '',

    /** A file of one object. */
    uploadWhole: async (body: Uint8Array): Promise<number> => {
      files += 1
      const key = `exp-15/7/files/${files}.data.csv`
      await plain.send(new PutObjectCommand({ Bucket: FILES, Key: key, Body: body }))
      known.set(files, {
        id: files,
        name: 'data.csv',
        region: 'us-east-1',
        isSliced: false,
        s3Path: { bucket: FILES, key },
        credentials: { AccessKeyId: '', SecretAccessKey: '', SessionToken: '', Expiration: '' },
      })
      return files
    },

    /** Runs the machine: repeats each step after a TransientError, and gives the failure to the step when it fails for good. */
    run: async (
      input: Record<string, unknown>,
      { fileId = Number(input['fileId']), changed = {}, repeats = 1 }: RunOptions = {},
    ): Promise<Export> => {
      executions += 1
      const job = {
        id: 7,
        url: '',
        operationParams: {},
        status: 'success' as const,
        results: { file: { id: fileId } },
      }
      return (await driveHere({
        input,
        execution: `execution-${process.pid}-${executions}`,
        job: async () => job,
        step: async event => {
          let answer: Answer | undefined
          for (let done = 0; done < repeats; done++)
            answer = await withRetries(() => mergeSlices({ ...dependencies, ...changed }, event))
          return answer
        },
      })) as Export
    },

    read: async (key: string): Promise<Buffer> => {
      const { Body } = await plain.send(new GetObjectCommand({ Bucket: EXPORTS, Key: key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },

    describe: (key: string) =>
      plain.send(new HeadObjectCommand({ Bucket: EXPORTS, Key: key, ChecksumMode: 'ENABLED' })),

    unfinishedUploads: async () => {
      const found = await plain.send(new ListMultipartUploadsCommand({ Bucket: EXPORTS }))
      return (found.Uploads ?? []).map(({ Key }) => Key)
    },

    keys: async (): Promise<string[]> => {
      const found = await plain.send(new ListObjectsV2Command({ Bucket: EXPORTS }))
      return (found.Contents ?? []).map(({ Key = '' }) => Key)
    },

    close: async () => {
      for (const client of clients) client.destroy()
      await proxy.close()
      await store.close()
    },
  }
}

export interface RunOptions {
  /** The file that the export of the table made. */
  fileId?: number
  changed?: Partial<MergeSlicesServices>
  /** How often each step runs, although it succeeded. */
  repeats?: number
}

const withRetries = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === ATTEMPTS || !(asTransient(error) instanceof TransientError)) throw error
    }
  }
}

/** None begins like something compressed, which one of some thousand would. */
export const randomSlices = (...sizes: number[]): Buffer[] =>
  sizes.map(size => {
    const bytes = randomBytes(size)
    bytes.fill('x', 0, Math.min(4, size))
    return bytes
  })
