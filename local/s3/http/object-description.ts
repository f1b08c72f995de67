import { describeChecksums } from '../body/checksums.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { ObjectDescription } from '../storage/stored-object.ts'

type Headers = Readonly<Record<string, string>>

/** The headers that describe an object, besides its metadata. */
export const storedHeaders = [
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
/** Of every object. */
export const storageClass = 'STANDARD'
const encryptionHeader = 'x-amz-server-side-encryption'
/** S3 encrypts every object, and says so, since 2023 (User Guide, "Default encryption"). */
export const encryption = { [encryptionHeader]: 'AES256' }

/** Reads the description of the object from the headers of a PUT, a copy or a new upload. */
export const readDescription = (headers: Headers): ObjectDescription => {
  if ((headers['x-amz-storage-class'] ?? storageClass) !== storageClass)
    throw new S3Error('InvalidStorageClass')
  checkEncryption(headers[encryptionHeader])
  return { headers: readStoredHeaders(headers), metadata: readMetadata(headers) }
}

/** The headers of a GET or HEAD that come from the description, without checksums. */
export const describeObject = (description: ObjectDescription): Record<string, string | undefined> => ({
  'content-type': 'binary/octet-stream',
  ...description.headers,
  ...Object.fromEntries(
    Object.entries(description.metadata).map(([name, value]) => [`${metadataPrefix}${name}`, value]),
  ),
  ...encryption,
})

/** What answers in XML say of the checksum of a whole object. */
export const describeChecksum = ({ checksum }: ObjectDescription) =>
  checksum?.value === undefined
    ? {}
    : { ...describeChecksums({ [checksum.algorithm]: checksum.value }), ChecksumType: checksum.type }

const readStoredHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    storedHeaders
      .map((name): [string, string] => [name, headers[name] ?? ''])
      .map(([name, value]) => [name, name === 'content-encoding' ? withoutChunking(value) : value])
      .filter(([, value]) => value !== ''),
  )

// `aws-chunked` describes the transfer, not the object. The rest stays as it was written.
const withoutChunking = (encoding: string): string =>
  encoding
    .split(',')
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

const checkEncryption = (value: string | undefined): void => {
  if (value === undefined || value === 'AES256') return
  if (value.startsWith('aws:'))
    throw new S3Error('NotImplemented', `Server-side encryption with ${value} is not implemented.`, {
      Header: encryptionHeader,
    })
  throw invalidArgument('The encryption method is not supported', encryptionHeader, value)
}
