import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { SFNClient, TestStateCommand } from '@aws-sdk/client-sfn'
import type { Smoke } from './smoke-context.ts'

/** The status and the code of an answer, whatever it is. */
const answer = async (
  asked: Promise<{ $metadata: { httpStatusCode?: number | undefined } }>,
): Promise<string> => {
  try {
    return String((await asked).$metadata.httpStatusCode)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } } // What the SDK throws.
    return `${$metadata?.httpStatusCode ?? 'no answer'} ${error.name}: ${error.message.slice(0, 160)}`
  }
}

type Asked = (smoke: Smoke, object: { Bucket: string; Key: string }) => Promise<string>

/** What the documentation of AWS leaves open: each says what this installation answers, and none fails. */
const probes: Readonly<Record<string, Asked>> = {
  async 'a CRC32 of the whole object, completed without checksums of its parts'(smoke, object) {
    const { s3Client } = smoke.account()
    const checksum = { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } as const
    const { UploadId } = await s3Client.send(new CreateMultipartUploadCommand({ ...object, ...checksum }))
    const part = { ...object, UploadId, PartNumber: 1, Body: 'part', ChecksumAlgorithm: 'CRC32' } as const
    const { ETag } = await s3Client.send(new UploadPartCommand(part))
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] }
    return answer(
      s3Client.send(
        new CompleteMultipartUploadCommand({
          ...object,
          UploadId,
          MultipartUpload,
          ChecksumType: 'FULL_OBJECT',
        }),
      ),
    )
  },

  async 'PUT with If-Match: *'(smoke, object) {
    const { s3Client } = smoke.account()
    const put = (Key: string) =>
      answer(s3Client.send(new PutObjectCommand({ ...object, Key, Body: 'x', IfMatch: '*' })))
    await s3Client.send(new PutObjectCommand({ ...object, Body: 'x' }))
    return `${await put(object.Key)} of an object, ${await put(`${object.Key}-missing`)} of none`
  },

  'DELETE with If-Match of a missing key': (smoke, object) =>
    answer(smoke.account().s3Client.send(new DeleteObjectCommand({ ...object, IfMatch: '"0123"' }))),

  async 'the last five bytes of an empty object'(smoke, object) {
    const { s3Client } = smoke.account()
    await s3Client.send(new PutObjectCommand({ ...object, Body: new Uint8Array() }))
    return answer(s3Client.send(new GetObjectCommand({ ...object, Range: 'bytes=-5' })))
  },

  async 'a path in Parameters that the input lacks'(smoke) {
    if (smoke.account().control) return 'not told here (one machine takes no definitions)'
    const machines = new SFNClient({})
    const definition = JSON.stringify({ Type: 'Pass', Parameters: { 'load.$': '$.run.load' }, End: true })
    try {
      const tested = await machines.send(new TestStateCommand({ definition, input: '{"run":{}}' }))
      return `${tested.status} ${tested.error ?? ''}`
    } catch (error) {
      return `not told here (${error instanceof Error ? error.message.slice(0, 160) : String(error)})`
    } finally {
      machines.destroy()
    }
  },
}

/** Prints a line for each. Without an account there is nowhere to try them. */
export const runProbes = async (smoke: Smoke, print: (line: string) => void): Promise<void> => {
  const account = smoke.installation.account
  const Bucket = account?.outputs['ExportsBucket']
  if (Bucket === undefined) {
    print('skipped  probes: they need the exports bucket.')
    return
  }
  for (const [index, [name, probe]] of Object.entries(probes).entries()) {
    const object = { Bucket, Key: `${smoke.name}/${index}` }
    print(`probe    ${name}: ${await answerOf(probe, smoke, object)}`)
    for (const Key of [object.Key, `${object.Key}-missing`])
      await smoke.account().s3Client.send(new DeleteObjectCommand({ Bucket, Key }))
  }
}

const answerOf = (probe: Asked, smoke: Smoke, object: { Bucket: string; Key: string }): Promise<string> =>
  probe(smoke, object).catch(error => `no answer: ${error instanceof Error ? error.message : String(error)}`)
