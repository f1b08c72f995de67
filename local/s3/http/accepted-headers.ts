import { accountId } from '../account.ts'
import { S3Error } from '../errors.ts'

/** The x-amz headers that are supported, or safe to ignore, besides metadata and checksums. */
const accepted = new Set(
  [
    // `acl` is checked where an object is written. The others say which API is meant, and who is thought to own the bucket.
    'acl api-version expected-bucket-owner source-expected-bucket-owner request-payer user-agent',
    // There is no object lock to make or to bypass, no tag to copy or to replace, nothing restored from an archive.
    'bucket-object-lock-enabled bypass-governance-retention tagging-directive optional-object-attributes',
    'content-sha256 date security-token te trailer decoded-content-length sdk-checksum-algorithm',
    'copy-source copy-source-range copy-source-if-match copy-source-if-none-match',
    'copy-source-if-modified-since copy-source-if-unmodified-since metadata-directive',
    'mp-object-size server-side-encryption storage-class',
  ].flatMap(line => line.split(' ')),
)

const isAccepted = (header: string): boolean =>
  !header.startsWith('x-amz-') ||
  /^x-amz-(?:meta-.*|checksum-(?:algorithm|mode|type|crc32|crc32c|crc64nvme|sha1|sha256))$/.test(header) ||
  accepted.has(header.slice('x-amz-'.length))

/** Throws NotImplemented, with the header's name, for any other: nothing is ignored silently. */
export const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  const locks = headers['x-amz-bucket-object-lock-enabled']?.toLowerCase() === 'true'
  const refused = locks
    ? 'x-amz-bucket-object-lock-enabled'
    : Object.keys(headers).find(name => !isAccepted(name))
  if (refused !== undefined)
    throw new S3Error(
      'NotImplemented',
      'A header you provided implies functionality that is not implemented.',
      {
        Header: refused,
      },
    )
  for (const name of ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner'])
    if ((headers[name] ?? accountId) !== accountId) throw new S3Error('AccessDenied')
}

/**
 * Throws for an ACL that would change something: everything belongs to the account, and policies of roles say who reads it.
 * `private` is refused where a bucket takes no ACLs (S3 User Guide, "Controlling ownership of objects").
 */
export const checkAcl = (
  headers: Readonly<Record<string, string>>,
  { acceptsAcls = false }: { acceptsAcls?: boolean },
): void => {
  const acl = headers['x-amz-acl'] ?? 'bucket-owner-full-control'
  if (acl === 'bucket-owner-full-control') return
  if (acl !== 'private')
    throw new S3Error(
      'NotImplemented',
      `The ACL "${acl}" is not implemented: rights are given by policies of roles.`,
    )
  if (!acceptsAcls) throw new S3Error('AccessControlListNotSupported')
}
