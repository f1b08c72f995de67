import { onObjectOrVersion } from '../auth/access.ts'
import { checksumElement } from '../body/checksums.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { versionHeaders } from './commit-object.ts'
import { findObject } from './find-object.ts'
import { describeChecksums } from './multipart-uploads.ts'
import { readVersionId } from './request-arguments.ts'

const attributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const

/** What the header asks for, and nothing else. */
export const getObjectAttributes: Operation = {
  name: 'GetObjectAttributes',
  query: ['versionId'],
  access: request => [
    ...onObjectOrVersion('s3:GetObject')(request),
    ...onObjectOrVersion('s3:GetObject')(request).map(access => ({
      ...access,
      action: `${access.action}Attributes`,
    })),
  ],
  run: (request, context) => {
    const wanted = readAttributes(request)
    const version = findObject(request, context, {
      bucket: bucketOf(request),
      key: keyOf(request),
      versionId: readVersionId(request),
    })
    const { checksum, storageClass } = version.description
    const { parts } = context.store
    const all: Record<(typeof attributes)[number], () => XmlNode[string]> = {
      ETag: () => version.etag,
      Checksum: () =>
        checksum?.value === undefined
          ? undefined
          : { [checksumElement(checksum.algorithm)]: checksum.value, ChecksumType: checksum.type },
      // Of objects that were uploaded in parts only.
      ObjectParts: () => (version.etag.includes('-') ? describeParts() : undefined),
      StorageClass: () => storageClass,
      ObjectSize: () => version.size,
    }
    const describeParts = (): XmlNode => {
      const limit = readNumber(request, 'x-amz-max-parts', 1000)
      const marker = readNumber(request, 'x-amz-part-number-marker', 0)
      const found = parts.list(version.holder, marker, limit + 1)
      const shown = found.slice(0, limit)
      return {
        PartsCount: parts.count(version.holder),
        PartNumberMarker: marker,
        NextPartNumberMarker: shown.at(-1)?.number ?? 0,
        MaxParts: limit,
        IsTruncated: found.length > limit,
        Part: shown.map(({ number, size, checksums }) => ({
          PartNumber: number,
          Size: size,
          ...describeChecksums(checksums),
        })),
      }
    }
    return xmlReply(
      'GetObjectAttributesResponse',
      Object.fromEntries(wanted.map(name => [name, all[name]()])),
      { 'last-modified': new Date(version.modified).toUTCString(), ...versionHeaders(version) },
    )
  },
}

const readAttributes = ({ headers }: S3Request): (typeof attributes)[number][] => {
  const given = (headers['x-amz-object-attributes'] ?? '').split(',').map(name => name.trim())
  if (given.join('') === '')
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-object-attributes header specifying the attributes is missing.',
    )
  return given.map(text => {
    const known = attributes.find(name => name === text)
    if (known === undefined)
      throw invalidArgument('Invalid attribute name specified.', 'x-amz-object-attributes', text)
    return known
  })
}

const readNumber = ({ headers }: S3Request, name: string, byDefault: number): number => {
  const value = headers[name]
  if (value === undefined) return byDefault
  if (!/^\d{1,6}$/.test(value)) throw invalidArgument(`${name} is not a number.`, name, value)
  return name === 'x-amz-max-parts' ? Math.min(Number(value), 1000) : Number(value)
}
