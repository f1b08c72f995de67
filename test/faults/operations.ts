import { GetObjectCommand } from '@aws-sdk/client-s3'
import { type Export, mergeSlices } from '#functions/merge-slices/merge-slices.ts'
import type { Answer } from '#lib/drive/step.ts'
import type { LandedObject } from '#lib/landed-object.ts'
import { driveHere } from '#support/drive-here.ts'
import type { ImportEnd } from '#support/landing.ts'
import { EXPORTS, type World } from './world.ts'

/** The import machine from the event to the end of the job. Rejects where the machine died. */
export const importObject = (
  { landing, hook }: World,
  object: LandedObject,
  execution: string,
): Promise<ImportEnd> => landing.execute(object, hook, execution)

export interface TableLoad {
  tableId: string
  fileId: number
  incremental: boolean
  idempotencyKey: string
}

/** Accepts an import through the API, as a client with an idempotency key does; the id of its job. */
export const submitLoad = async ({ request }: World, load: TableLoad): Promise<number> => {
  const { status, body } = await request(
    'POST',
    `/tables/${load.tableId}/import-async`,
    { dataFileId: load.fileId, incremental: load.incremental ? 1 : 0 },
    { 'Idempotency-Key': load.idempotencyKey },
  )
  if (status !== 202) throw new Error(`The load answered ${status}`)
  return (body as { id: number }).id // A job, as the route's own schema has checked.
}

/** Looks at a job until it is over; its status. */
export const awaitJob = async ({ landing }: World, jobId: number): Promise<'success' | 'error'> => {
  for (;;) {
    const { status } = await landing.storage.job(jobId)
    if (status === 'success' || status === 'error') return status
  }
}

/** The export machine: a table becomes one object. */
export const exportTable = async (
  world: World,
  { tableId, key }: { tableId: string; key: string },
  execution: string,
): Promise<Export> => {
  const { service, landing, s3With } = world
  const services = {
    s3: service.s3,
    storage: landing.storage,
    filesBucket: service.filesBucket,
    workBucket: EXPORTS,
    log: { warn: () => {} },
    s3ForFile: ({ region, credentials }: Parameters<MergeServices['s3ForFile']>[0]) =>
      s3With(region, credentials),
  }
  let steps = 0
  const exported = await driveHere({
    input: { tableId, destination: { bucket: EXPORTS, key } },
    execution,
    job: async jobId => {
      await awaitJob(world, jobId)
      return landing.storage.job(jobId)
    },
    step: async event => {
      const place = `${execution} ${steps++}`
      const known = world.finishedSteps.get(place)
      const answer = known === undefined ? await mergeSlices(services, event) : (known as Answer | null)
      world.finishedSteps.set(place, answer ?? null)
      return answer ?? undefined
    },
  })
  return exported as Export // Of the last step.
}

type MergeServices = Parameters<typeof mergeSlices>[0]

export const readExport = async ({ service }: World, key: string): Promise<Uint8Array | undefined> => {
  const { Body } = await service.s3.send(new GetObjectCommand({ Bucket: EXPORTS, Key: key }))
  return Body?.transformToByteArray()
}
