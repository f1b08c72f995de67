import { createHash, randomBytes } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { keyArn, type Stores } from './stores.ts'

/** What was asked for and what was acknowledged, by name. */
export interface Model {
  readonly objects: Map<string, string>
  /** Versions of one key: the last acknowledged, and the last sent. */
  readonly replaced: { acknowledged: number; sent: number }
  readonly parts: Map<number, { ETag: string | undefined; digest: string }>
  uploadId: string | undefined
  readonly executions: Map<string, 'RUNNING' | 'SUCCEEDED'>
  readonly items: Map<string, string>
  readonly sealed: Uint8Array[]
}

export const emptyModel = (): Model => ({
  objects: new Map(),
  replaced: { acknowledged: 0, sent: 0 },
  parts: new Map(),
  uploadId: undefined,
  executions: new Map(),
  items: new Map(),
  sealed: [],
})

export const target = { Bucket: 'box', Key: 'upload' }
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const plain = Buffer.from('plain')

export const prepare = async (stores: Stores): Promise<void> => {
  await stores.s3.createBucket('box')
}

/** Writes of every kind, each kind side by side with the others; the model notes what was acknowledged at once. */
export const writeAll = async (stores: Stores, model: Model, count: number): Promise<void> => {
  const { s3Client, items, executions, keys } = stores
  const times = async (work: (index: number) => Promise<void>) => {
    for (let index = 0; index < count; index++) await work(index)
  }
  const putObject = (writer: number) => async (index: number) => {
    const Body = randomBytes(writer === 0 ? 100_000 : 500)
    await s3Client.send(new PutObjectCommand({ Bucket: 'box', Key: `${writer}/${index}`, Body }))
    model.objects.set(`${writer}/${index}`, digestOf(Body))
  }
  const replaceObject = async () => {
    model.replaced.sent += 1
    const version = model.replaced.sent
    await s3Client.send(new PutObjectCommand({ Bucket: 'box', Key: 'same', Body: String(version) }))
    model.replaced.acknowledged = version
  }
  const uploadPart = async (index: number) => {
    model.uploadId ??= (await s3Client.send(new CreateMultipartUploadCommand(target))).UploadId
    const Body = randomBytes(300)
    const part = { ...target, UploadId: model.uploadId, PartNumber: index + 1, Body }
    const { ETag } = await s3Client.send(new UploadPartCommand(part))
    model.parts.set(index + 1, { ETag, digest: digestOf(Body) })
  }
  const runExecution = async (index: number) => {
    const name = `run-${index}`
    const record = {
      executionArn: `arn:${name}`,
      stateMachineArn: 'arn:m',
      name,
      input: '{}',
      startDate: '2026',
    }
    await executions.put({ ...record, status: 'RUNNING' })
    model.executions.set(name, 'RUNNING')
    await executions.put({ ...record, status: 'SUCCEEDED', stopDate: '2026', output: '{}' })
    model.executions.set(name, 'SUCCEEDED')
  }
  const putItem = (writer: number) => async (index: number) => {
    const [id, value] = [`${writer}/${index % 5}`, `value ${index}`]
    await items.put({ pk: 'item', sk: id }, { value })
    model.items.set(id, value)
  }
  model.sealed.push(await keys.encrypt(keyArn, plain, {}))
  const puts = [0, 1, 2].flatMap(writer => [times(putObject(writer)), times(putItem(writer))])
  await Promise.all([...puts, times(replaceObject), times(uploadPart), times(runExecution)])
}

/** Everything acknowledged that these stores do not have, as sentences. */
export const findLosses = async (stores: Stores, model: Model): Promise<string[]> => {
  const { s3Client, items, executions, keys } = stores
  const losses: string[] = []
  const expectThat = (holds: boolean, what: string) => holds || losses.push(what)
  const read = async (Key: string): Promise<Uint8Array | undefined> => {
    const reply = await s3Client.send(new GetObjectCommand({ Bucket: 'box', Key })).catch(() => undefined)
    return reply?.Body?.transformToByteArray().catch(() => undefined)
  }
  for (const [name, digest] of model.objects) {
    const bytes = await read(name)
    expectThat(bytes !== undefined && digestOf(bytes) === digest, `object ${name}`)
  }
  if (model.replaced.acknowledged > 0) {
    const version = Number(Buffer.from((await read('same')) ?? []).toString())
    const { acknowledged, sent } = model.replaced
    expectThat(version >= acknowledged && version <= sent, `version ${acknowledged} of one key: ${version}`)
  }
  for (const [name, status] of model.executions) {
    const kept = executions.get(`arn:${name}`)?.status
    expectThat(kept === status || kept === 'SUCCEEDED', `execution ${name}: ${kept}`)
  }
  for (const [id, value] of model.items) {
    const kept = (await items.get({ pk: 'item', sk: id }).catch(() => undefined))?.['value']
    // A later one was under way.
    expectThat(Number(String(kept).slice(6)) >= Number(value.slice(6)), `item ${id}: ${kept}`)
  }
  for (const sealed of model.sealed) {
    const opened = (await keys.decrypt(keyArn, sealed, {})) ?? []
    expectThat(plain.equals(Buffer.from(opened)), 'the key')
  }
  for (const loss of await findLostParts(stores, model)) losses.push(loss)
  return losses
}

const findLostParts = async ({ s3Client }: Stores, { uploadId, parts }: Model): Promise<string[]> => {
  if (parts.size === 0) return []
  const upload = { ...target, UploadId: uploadId }
  const listed = await s3Client.send(new ListPartsCommand(upload)).catch(() => undefined)
  const kept = new Map(listed?.Parts?.map(({ PartNumber, ETag }) => [PartNumber, ETag]))
  const lost = [...parts].filter(([number, { ETag }]) => kept.get(number) !== ETag)
  if (lost.length > 0) return lost.map(([number]) => `part ${number}`)
  // Parts this small can only be an object alone.
  const [[PartNumber, { ETag, digest }]] = [...parts] as [[number, { ETag: string; digest: string }]]
  const Parts = [{ PartNumber, ETag }]
  await s3Client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  const { Body } = await s3Client.send(new GetObjectCommand(target))
  const bytes = (await Body?.transformToByteArray().catch(() => undefined)) ?? new Uint8Array()
  return digestOf(bytes) === digest ? [] : [`the bytes of part ${PartNumber}`]
}
