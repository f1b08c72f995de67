import { S3Error } from '../errors.ts'

/** The x-amz headers that are supported, or safe to ignore. */
const accepted = new Set([
  'x-amz-acl',
  // The SDK for C++ names the version of the API; there is one.
  'x-amz-api-version',
  'x-amz-bucket-object-lock-enabled',
  // Without object lock there is nothing to bypass.
  'x-amz-bypass-governance-retention',
  'x-amz-checksum-algorithm',
  'x-amz-checksum-crc32',
  'x-amz-checksum-crc32c',
  'x-amz-checksum-crc64nvme',
  'x-amz-checksum-mode',
  'x-amz-checksum-sha1',
  'x-amz-checksum-sha256',
  'x-amz-checksum-type',
  'x-amz-content-sha256',
  'x-amz-copy-source',
  'x-amz-copy-source-if-match',
  'x-amz-copy-source-if-modified-since',
  'x-amz-copy-source-if-none-match',
  'x-amz-copy-source-if-unmodified-since',
  'x-amz-copy-source-range',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-expected-bucket-owner',
  'x-amz-metadata-directive',
  'x-amz-mp-object-size',
  'x-amz-object-ownership',
  // Lists say of an object that it was restored from an archive; there are none.
  'x-amz-optional-object-attributes',
  'x-amz-request-payer',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-security-token',
  'x-amz-server-side-encryption',
  'x-amz-source-expected-bucket-owner',
  'x-amz-storage-class',
  // There are no tags to copy or to replace.
  'x-amz-tagging-directive',
  'x-amz-te',
  'x-amz-trailer',
  'x-amz-user-agent',
])

/** Throws NotImplemented, with the header's name, for any other: nothing is ignored silently. */
export const checkHeaders = (headers: Readonly<Record<string, string>>, account: string): void => {
  for (const name of Object.keys(headers))
    if (name.startsWith('x-amz-') && !name.startsWith('x-amz-meta-') && !accepted.has(name))
      throw refused(name)
  if (headers['x-amz-bucket-object-lock-enabled']?.toLowerCase() === 'true')
    throw refused('x-amz-bucket-object-lock-enabled')
  for (const name of ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner'])
    if ((headers[name] ?? account) !== account) throw new S3Error('AccessDenied')
}

const refused = (name: string): S3Error =>
  new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented.', {
    Header: name,
  })
