import { invalidArgument, S3Error } from '../errors.ts'
import type { ObjectDescription } from '../storage/stored-object.ts'

type Headers = Readonly<Record<string, string>>

const storedHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]
const metadataPrefix = 'x-amz-meta-'
// S3 User Guide, "Working with object metadata": names and values together, in bytes.
const maxMetadataBytes = 2048
const storageClasses = new Set([
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'GLACIER_IR',
])

/** Reads the description of the object from the headers of a PUT, a copy or a new upload. */
export const readDescription = (headers: Headers): ObjectDescription => {
  const encryption = readEncryption(headers['x-amz-server-side-encryption'])
  return {
    headers: readStoredHeaders(headers),
    metadata: readMetadata(headers),
    storageClass: readStorageClass(headers['x-amz-storage-class']),
    ...(encryption === undefined ? {} : { encryption }),
  }
}

/** The headers of a GET or HEAD that come from the description, without checksums. */
export const describeObject = (description: ObjectDescription): Record<string, string> => ({
  'content-type': 'binary/octet-stream',
  ...description.headers,
  ...Object.fromEntries(
    Object.entries(description.metadata).map(([name, value]) => [`${metadataPrefix}${name}`, value]),
  ),
  // S3 encrypts every object, and says so, since 2023 (User Guide, "Default encryption").
  'x-amz-server-side-encryption': description.encryption ?? 'AES256',
  // S3 omits the default class.
  ...(description.storageClass === 'STANDARD' ? {} : { 'x-amz-storage-class': description.storageClass }),
})

const readStoredHeaders = (headers: Headers): Record<string, string> => {
  const stored: Record<string, string> = {}
  for (const name of storedHeaders) {
    const value = name === 'content-encoding' ? withoutChunking(headers[name]) : headers[name]
    if (value !== undefined && value !== '') stored[name] = value
  }
  return stored
}

// `aws-chunked` describes the transfer, not the object. The rest stays as it was written.
const withoutChunking = (encoding: string | undefined): string | undefined =>
  encoding
    ?.split(',')
    .filter(one => one.trim().toLowerCase() !== 'aws-chunked')
    .join(',')
    .trim()

const readMetadata = (headers: Headers): Record<string, string> => {
  const entries = Object.entries(headers)
    .filter(([name]) => name.startsWith(metadataPrefix))
    .map(([name, value]): [string, string] => [name.slice(metadataPrefix.length), value])
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (bytes > maxMetadataBytes)
    throw new S3Error('MetadataTooLarge', undefined, {
      Size: String(bytes),
      MaxSizeAllowed: String(maxMetadataBytes),
    })
  return Object.fromEntries(entries)
}

const readStorageClass = (value = 'STANDARD'): string => {
  if (!storageClasses.has(value)) throw new S3Error('InvalidStorageClass')
  return value
}

const readEncryption = (value: string | undefined): 'AES256' | undefined => {
  if (value === undefined || value === 'AES256') return value
  if (value.startsWith('aws:'))
    throw new S3Error('NotImplemented', `Server-side encryption with ${value} is not implemented.`, {
      Header: 'x-amz-server-side-encryption',
    })
  throw invalidArgument(
    'The encryption method specified is not supported',
    'x-amz-server-side-encryption',
    value,
  )
}
