import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createS3Client } from '../../lib/aws/s3-client.ts'
import { readManifest } from '../../lib/storage/files/read-manifest.ts'
import { readableFileBody } from '../../lib/wire/file-body.ts'
import { type ApiClient, query } from './api-client.ts'

const EXPIRES_SECONDS = 3600
/** More are for the command line, which puts them together. */
const LINKS_SHOWN = 100

interface SliceLinks {
  /** Signed addresses, in order, each valid for an hour. */
  links: string[]
  slices: number
}

/** Where a browser gets the slices of a sliced file, with the rights that the caller has on it. */
export const sliceLinks = async (client: ApiClient, fileId: number): Promise<SliceLinks> => {
  const access = await client.get(`files/${fileId}${query({ federationToken: 1 })}`, readableFileBody)
  const { AccessKeyId, SecretAccessKey, SessionToken } = access.credentials
  const s3 = createS3Client({
    region: access.region,
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
  })
  try {
    const slices = await readManifest(s3, access.s3Path.bucket, access.s3Path.key)
    const links = slices.slice(0, LINKS_SHOWN).map(({ bucket, key }) => {
      const disposition = `attachment; filename="${key.split('/').at(-1)?.replaceAll('"', '') ?? 'slice'}"`
      const get = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition: disposition })
      return getSignedUrl(s3, get, { expiresIn: EXPIRES_SECONDS })
    })
    return { links: await Promise.all(links), slices: slices.length }
  } finally {
    s3.destroy()
  }
}
