import { invalidArgument, S3Error } from '../errors.ts'
import { type ObjectOwnership, objectOwnerships } from '../storage/buckets.ts'

type Headers = Readonly<Record<string, string>>

const publicAcls = new Set(['public-read', 'public-read-write', 'authenticated-read'])
const bucketAcls = new Set(['private', ...publicAcls])
const objectAcls = new Set([...bucketAcls, 'aws-exec-read', 'bucket-owner-read', 'bucket-owner-full-control'])

const readAcl = (headers: Headers, known: ReadonlySet<string>): string | undefined => {
  const acl = headers['x-amz-acl']
  if (acl !== undefined && !known.has(acl)) throw invalidArgument('', 'x-amz-acl', acl)
  return acl
}

/**
 * Refuses an ACL that the bucket of a new object does not take (S3 User Guide, "Controlling ownership of objects" and
 * "Blocking public access"): all but the owner's where ACLs are off, and public ones in any bucket here.
 */
export const checkObjectAcl = (headers: Headers, ownership: ObjectOwnership): void => {
  const acl = readAcl(headers, objectAcls)
  if (acl === undefined) return
  if (ownership === 'BucketOwnerEnforced' && acl !== 'bucket-owner-full-control')
    throw new S3Error('AccessControlListNotSupported')
  if (publicAcls.has(acl)) throw new S3Error('AccessDenied')
}

/** The same for a new bucket, whose ACL is private. */
export const checkBucketAcl = (
  headers: Headers,
  ownership: ObjectOwnership = 'BucketOwnerEnforced',
): void => {
  if (!publicAcls.has(readAcl(headers, bucketAcls) ?? 'private')) return
  throw new S3Error(
    ownership === 'BucketOwnerEnforced'
      ? 'InvalidBucketAclWithObjectOwnership'
      : 'InvalidBucketAclWithBlockPublicAccessError',
  )
}

export const readOwnership = (headers: Headers): ObjectOwnership | undefined => {
  const asked = headers['x-amz-object-ownership']
  const ownership = objectOwnerships.find(known => known === asked)
  if (asked !== undefined && ownership === undefined)
    throw invalidArgument(`Invalid x-amz-object-ownership header: ${asked}`, 'x-amz-object-ownership', asked)
  return ownership
}
