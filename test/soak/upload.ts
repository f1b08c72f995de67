import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { acknowledged, callApi, untilAcknowledged } from './client.ts'
import type { CloudProcess } from './cloud-process.ts'

interface Naming {
  readonly name: string
  /** Chooses the way: temporary credentials, or one form to the importer. */
  readonly seed: number
}

/** Uploads a file by one of the two ways that clients have; resolves to its id when the bytes are acknowledged. */
export const uploadBytes = (cloud: CloudProcess, bytes: Buffer, { name, seed }: Naming): Promise<number> =>
  seed % 2 === 0 ? uploadByCredentials(cloud, bytes, name) : uploadByForm(cloud, bytes, name)

const uploadByForm = (cloud: CloudProcess, bytes: Buffer, name: string): Promise<number> =>
  untilAcknowledged(cloud, async ({ api, token }) => {
    const form = new FormData()
    form.set('data', new Blob([Uint8Array.from(bytes)]), name)
    const response = await fetch(`${api}/upload-file`, {
      method: 'POST',
      headers: { 'X-StorageApi-Token': token ?? '' },
      body: form,
      signal: AbortSignal.timeout(60_000),
    })
    const reply = acknowledged({ status: response.status, body: await response.json() }, [201])
    return reply.body.id
  })

const uploadByCredentials = async (cloud: CloudProcess, bytes: Buffer, name: string): Promise<number> => {
  const idempotencyKey = `soak-file-${name}-${bytes.length}-${crypto.randomUUID()}`
  const body = { name, sizeBytes: bytes.length, federationToken: true }
  return untilAcknowledged(cloud, async facts => {
    const prepare = { method: 'POST', path: 'files/prepare', body, idempotencyKey }
    const file = acknowledged(await callApi(facts, prepare), [200, 201]).body
    const { bucket, key, credentials } = file.uploadParams
    const s3 = new S3Client({
      endpoint: facts.s3,
      region: facts.region,
      credentials: {
        accessKeyId: credentials.AccessKeyId,
        secretAccessKey: credentials.SecretAccessKey,
        sessionToken: credentials.SessionToken,
      },
      forcePathStyle: true,
      maxAttempts: 1,
    })
    try {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }), {
        abortSignal: AbortSignal.timeout(60_000),
      })
    } finally {
      s3.destroy()
    }
    return file.id
  })
}
