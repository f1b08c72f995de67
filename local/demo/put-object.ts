import aws4 from 'aws4'
import { exchange } from '#lib/storage-client/exchange.ts'
import type { CloudFacts } from '../runtime/embedded-cloud.ts'

interface DroppedObject {
  bucket: string
  key: string
  body: Buffer
  metadata: Record<string, string>
}

/** What any S3 client does, by one signed request: to load the SDK's client would take longer than the import. */
export const putObject = async (
  { s3, region, accessKeyId, secretAccessKey }: CloudFacts,
  { bucket, key, body, metadata }: DroppedObject,
): Promise<void> => {
  const url = new URL(`${s3}/${bucket}/${key}`)
  const described = Object.entries(metadata).map(([name, value]) => [`X-Amz-Meta-${name}`, value])
  const { headers } = aws4.sign(
    {
      service: 's3',
      region,
      method: 'PUT',
      path: url.pathname,
      headers: { Host: url.host, ...Object.fromEntries(described) },
      body,
    },
    { accessKeyId, secretAccessKey },
  )
  const { status, text } = await exchange({
    url: url.href,
    method: 'PUT',
    headers: headers as Record<string, string>, // Those above, and what the signature adds.
    body,
    timeoutSeconds: 60,
  })
  if (status !== 200) throw new Error(`PUT ${url.pathname} answered ${status}: ${text}`)
}
