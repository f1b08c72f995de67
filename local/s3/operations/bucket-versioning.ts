import { z } from 'zod'
import { onBucket } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { readText } from '../http/read-text.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { parseXml } from '../xml/parse-xml.ts'

export const getBucketVersioning: Operation = {
  name: 'GetBucketVersioning',
  access: onBucket('s3:GetBucketVersioning'),
  run: (request, { store }) => {
    const { versioning } = store.buckets.get(bucketOf(request))
    return xmlReply('VersioningConfiguration', { Status: versioning === '' ? undefined : versioning })
  },
}

const Body = z.object({
  VersioningConfiguration: z.tuple([
    z.object({ Status: z.tuple([z.enum(['Enabled', 'Suspended'])]), MfaDelete: z.unknown().optional() }),
  ]),
})

export const putBucketVersioning: Operation = {
  name: 'PutBucketVersioning',
  access: onBucket('s3:PutBucketVersioning'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    const text = await readText(request)
    const [{ Status, MfaDelete }] = (await parseXml(text, Body, { maxElements: 16 })).VersioningConfiguration
    if (MfaDelete !== undefined) throw new S3Error('NotImplemented', 'MFA delete is not implemented.')
    await store.commit([], () => store.buckets.setVersioning(bucketOf(request), Status[0]))
    return { status: 200 }
  },
}
