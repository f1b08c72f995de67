import { onBucket } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { commonPrefixOf } from '../storage/listing.ts'
import type { Upload } from '../storage/uploads.ts'
import { owner } from './list-buckets.ts'
import { readEncoding, readLimit } from './request-arguments.ts'

export const listMultipartUploads: Operation = {
  name: 'ListMultipartUploads',
  query: ['uploads', 'prefix', 'delimiter', 'max-uploads', 'key-marker', 'upload-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketMultipartUploads'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { type, encode } = readEncoding(request)
    const limit = readLimit(request, 'max-uploads')
    const prefix = queryValue(request, 'prefix') ?? ''
    const delimiter = queryValue(request, 'delimiter') ?? ''
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    // Without an id, the marker means after all uploads of its key: no id sorts behind this one.
    const idMarker = queryValue(request, 'upload-id-marker') ?? '\uffff'

    const uploads: Upload[] = []
    const groups = new Set<string>()
    let isTruncated = false
    for (const upload of store.uploads.listAfter(
      bucket,
      Buffer.from(keyMarker),
      keyMarker === '' ? '' : idMarker,
    )) {
      if (!upload.key.startsWith(prefix)) continue
      const group = commonPrefixOf(upload.key, prefix, delimiter)
      if (group !== undefined && (groups.has(group) || keyMarker.startsWith(group))) continue
      if (uploads.length + groups.size === limit) {
        isTruncated = true
        break
      }
      if (group === undefined) uploads.push(upload)
      else groups.add(group)
    }
    const last = uploads.at(-1)
    const lastGroup = [...groups].at(-1) ?? ''
    const isGroupLast =
      last === undefined || Buffer.compare(Buffer.from(lastGroup), Buffer.from(last.key)) > 0
    return xmlReply('ListMultipartUploadsResult', {
      Bucket: bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: queryValue(request, 'upload-id-marker') ?? '',
      NextKeyMarker: isTruncated ? encode(isGroupLast ? lastGroup : last.key) : undefined,
      NextUploadIdMarker: isTruncated && !isGroupLast ? last.id : undefined,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      MaxUploads: limit,
      IsTruncated: isTruncated,
      Upload: uploads.map(({ key, id, initiated, description }) => ({
        Key: encode(key),
        UploadId: id,
        Initiator: owner,
        Owner: owner,
        StorageClass: description.storageClass,
        Initiated: new Date(initiated).toISOString(),
        ChecksumAlgorithm: description.checksum?.algorithm,
        ChecksumType: description.checksum?.type,
      })),
      CommonPrefixes: [...groups].map(group => ({ Prefix: encode(group) })),
    })
  },
}
