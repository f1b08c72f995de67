import { S3Client } from '@aws-sdk/client-s3'
import type { ItemTable } from '#lib/items/item-table.ts'
import type { CloudFacts, EmbeddedCloud } from '#local/runtime/embedded-cloud.ts'

/**
 * Calls the storage API of a cloud that is known by the first call; bodies are JSON, or a form. Resolves to what it
 * answers, also when it refuses.
 */
export const callerOf =
  (cloud: () => Pick<CloudFacts, 'api' | 'token'>) =>
  // Tests look into replies freely and compare what they find.
  // biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const { api, token = '' } = cloud()
    const isForm = body instanceof FormData
    const response = await fetch(`${api}/v2/storage/${path}`, {
      method,
      headers: {
        'X-StorageApi-Token': token,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }

type S3Place = Pick<CloudFacts, 's3' | 'region' | 'accessKeyId' | 'secretAccessKey'>

/** S3 with the root credentials of a cloud. */
export const s3Of = ({ s3, region, accessKeyId, secretAccessKey }: S3Place): S3Client =>
  new S3Client({ endpoint: s3, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true })

/** The items of its storage service. */
export const itemsOf = (cloud: EmbeddedCloud): ItemTable =>
  cloud.items(cloud.describeOutputs()['ItemTable'] ?? '')
