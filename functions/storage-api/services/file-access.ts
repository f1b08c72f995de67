import type { Readable } from 'node:stream'
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { SourceObject } from '../../lib/cloud/multipart/source-object.ts'
import { partitionOf } from '../../lib/cloud/partition-of.ts'
import type { AssumeRole } from '../../lib/cloud/roles.ts'
import { NONE } from '../../lib/none.ts'
import { permanentPrefix, uploadPrefix } from '../../lib/storage/files/file-prefixes.ts'
import { deleteFileObjects, type FileRecord } from '../../lib/storage/files/file-store.ts'
import { listFewSlices } from '../../lib/storage/files/list-slices.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'

const URL_SECONDS = 3600
// S3: at most 10,000 parts (User Guide, "Multipart upload limits"): 16 MiB reach 156 GiB with two parts in memory.
const PART_BYTES = 16 * 1024 * 1024
const PARTS_IN_MEMORY = 2
// Ten pages of a listing take about a second.
const MEASURED_SLICES = 10_000

interface FileAccessOptions {
  s3: S3Client
  assumeRole: AssumeRole
  bucket: string
  region: string
  /** Its partition is that of the bucket. */
  roleArn: string
  /** Customer's KMS key of the bucket. `NONE`: a key of AWS. */
  dataKeyArn: string
  /** Signs addresses. It puts no checksum into them: who uses one has other bytes than the empty body signed here. */
  signer: S3Client
}

/** Temporary credentials in the client's format (docs/reference/storage-api.md#file-resource). */
interface WireCredentials {
  AccessKeyId: string
  SecretAccessKey: string
  SessionToken: string
  Expiration: string
}

/** Access to a file's objects: credentials and addresses for the client, and the few things the service does itself. */
export const createFileAccess = ({
  s3,
  assumeRole,
  bucket,
  region,
  roleArn,
  dataKeyArn,
  signer,
}: FileAccessOptions) => ({
  bucket,
  region,

  /**
   * Credentials for exactly this file: its key, or everything below its key when it is sliced. Valid for an hour. A
   * long transfer renews them by requesting the file again.
   */
  async credentials(file: FileRecord, access: FileRight): Promise<WireCredentials> {
    const policy = sessionPolicy({ arn: bucketArn({ roleArn, bucket }), dataKeyArn }, file, access)
    const key = await assumeRole({
      roleArn,
      sessionName: `file-${file.id}`,
      policy: JSON.stringify(policy),
    })
    if (key === undefined) throw new Error(`The policy of file ${file.id} is too large for a session`)
    return {
      AccessKeyId: key.accessKeyId,
      SecretAccessKey: key.secretAccessKey,
      SessionToken: key.sessionToken,
      Expiration: wireDate(key.expiration.toISOString()),
    }
  },

  /** Address to download the file, or the manifest of a sliced one. Valid for an hour without a token. */
  downloadUrl: (file: FileRecord): Promise<string> =>
    getSignedUrl(
      signer,
      new GetObjectCommand({
        Bucket: bucket,
        Key: file.isSliced ? `${file.key}manifest` : file.key,
        ResponseContentDisposition: `attachment; filename="${webalize(file.name)}"`,
      }),
      { expiresIn: URL_SECONDS },
    ),

  /** Address to upload the file with one plain PUT. Valid for an hour. */
  uploadUrl: (file: FileRecord): Promise<string> =>
    getSignedUrl(signer, new PutObjectCommand({ Bucket: bucket, Key: file.key }), { expiresIn: URL_SECONDS }),

  /** Stores a stream of unknown length. If it breaks off, nothing is left behind. */
  async upload(key: string, body: Readable, contentType: string): Promise<void> {
    const upload = new Upload({
      client: s3,
      params: { Bucket: bucket, Key: key, Body: body, ContentType: contentType },
      partSize: PART_BYTES,
      queueSize: PARTS_IN_MEMORY,
    })
    await upload.done()
  },

  /** The text of a small file. `undefined`: nothing is uploaded yet. */
  async read({ key }: FileRecord): Promise<string | undefined> {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return await Body?.transformToString()
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  },

  /** Its objects as they are stored now; `undefined` for more than a request has time to look at. Errors: as `listSlices`. */
  slices: ({ key, isSliced }: FileRecord): Promise<SourceObject[] | undefined> =>
    listFewSlices({ s3, bucket, key, isSliced }, MEASURED_SLICES),

  deleteObjects: (file: FileRecord): Promise<void> => deleteFileObjects(s3, bucket, file),
})

export type FileAccess = ReturnType<typeof createFileAccess>

/** Besides writing itself: multipart uploads. Clients set the (private) ACL, which needs a right of its own. */
const objectActions = {
  read: ['s3:GetObject'],
  write: ['s3:GetObject', 's3:PutObjectAcl', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
}

export type FileRight = keyof typeof objectActions

/** S3 uses the customer's key in the rights of whoever asks for an object. */
const keyStatements = (dataKeyArn: string, access: FileRight) =>
  dataKeyArn === NONE ? [] : [{ Effect: 'Allow', Action: keyActions[access], Resource: dataKeyArn }]

const keyActions = { read: ['kms:Decrypt'], write: ['kms:Decrypt', 'kms:GenerateDataKey'] }

const bucketArn = ({ roleArn, bucket }: Pick<FileAccessOptions, 'roleArn' | 'bucket'>): string =>
  `arn:${partitionOf(roleArn)}:s3:::${bucket}`

/**
 * Restricts a role's session to one file: its object, or all objects below its key when it is sliced, and their listing.
 * An encrypted file is written with the header of the encryption only. It cannot allow what the role itself may not do.
 */
const sessionPolicy = (
  { arn, dataKeyArn }: { arn: string; dataKeyArn: string },
  { key, isSliced, isEncrypted }: Pick<FileRecord, 'key' | 'isSliced' | 'isEncrypted'>,
  access: FileRight,
) => {
  const objects = `${arn}/${key}${isSliced ? '*' : ''}`
  const encrypted = { StringEquals: { 's3:x-amz-server-side-encryption': 'AES256' } }
  const put = { Effect: 'Allow', Action: ['s3:PutObject'], Resource: objects }
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: objectActions[access], Resource: objects },
      ...(access === 'write' ? [{ ...put, ...(isEncrypted && { Condition: encrypted }) }] : []),
      {
        Effect: 'Allow',
        Action: ['s3:ListBucket'],
        Resource: arn,
        Condition: {
          [isSliced ? 'StringLike' : 'StringEquals']: { 's3:prefix': isSliced ? `${key}*` : key },
        },
      },
      ...keyStatements(dataKeyArn, access),
    ],
  }
}

interface NewFile {
  name: string
  sizeBytes: number
  contentType: string
  isPublic: boolean
  isPermanent: boolean
  isEncrypted: boolean
  isSliced: boolean
  tags: string[]
  runId: string | null
  creatorToken: { id: string; description: string }
}

/** The record of a file that will be uploaded. */
export const newFileRecord = (
  id: number,
  { isPermanent, tags, runId, ...file }: NewFile,
  { projectId, now }: { projectId: number; now: Date },
): FileRecord => ({
  ...file,
  id,
  key: fileKey(projectId, id, { name: file.name, created: now, isPermanent }),
  created: now.toISOString(),
  maxAgeDays: isPermanent ? null : uploadPrefix.days,
  tags: [...new Set(tags)],
  runId,
  runIds: runId === null ? [] : [runId],
  revision: 1,
})

/**
 * The object key of a new file: `exp-15/<project>/files/2026/07/16/<id>.<name>`, or below `permanent/` when it is kept
 * until it is deleted. For a sliced file it is the prefix of the slices and of the manifest.
 */
export const fileKey = (
  projectId: number,
  id: number,
  { name, created, isPermanent = false }: { name: string; created: Date; isPermanent?: boolean },
): string =>
  `${isPermanent ? permanentPrefix : uploadPrefix.prefix}${projectId}/files/${created.toISOString().slice(0, 10).replaceAll('-', '/')}/${id}.${webalize(name)}`

const MAX_LENGTH = 120

/** A name in letters, digits, dots, dashes and underscores. Drops accents. Shortens at the start. */
export const webalize = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replaceAll(/^[._]+|_+$/g, '')
    .slice(-MAX_LENGTH) || 'file'
