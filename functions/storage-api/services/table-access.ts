import type { S3Client } from '@aws-sdk/client-s3'
import { partitionOf } from '#lib/cloud/partition-of.ts'
import type { AssumeRole } from '#lib/cloud/roles.ts'
import { createTableObjects } from '#lib/storage/tables/content/table-objects.ts'

interface TableAccessOptions {
  s3: S3Client
  assumeRole: AssumeRole
  /** The bucket of tables. */
  bucket: string
  region: string
  /** The role whose sessions read tables. */
  roleArn: string
  /** Customer's KMS key of the bucket. `NONE`: a key of AWS. */
  dataKeyArn: string
  /** Where the object store is, when it is not that of AWS. */
  s3Endpoint: string | undefined
}

/** Access to the objects of tables: their metadata for the service itself, sessions of a role for engines. */
export const createTableAccess = (options: TableAccessOptions) => {
  const { s3, assumeRole, bucket, region, roleArn, dataKeyArn, s3Endpoint } = options
  const { read, keyOf, locationOf } = createTableObjects(s3, bucket)
  /** How engines reach the object store (Iceberg documentation, "S3 FileIO"; the spelling of PyIceberg beside it). */
  const storageConfig: Readonly<Record<string, string>> = {
    'client.region': region,
    's3.region': region,
    ...(s3Endpoint !== undefined && { 's3.endpoint': s3Endpoint, 's3.path-style-access': 'true' }),
  }

  return {
    bucket,
    dataKeyArn,
    partition: partitionOf(roleArn),
    read,
    keyOf,
    locationOf,
    storageConfig,
    httpLocation: `${s3Endpoint ?? `https://s3.${region}.amazonaws.com`}/${bucket}/`,

    readText: async (location: string): Promise<string> => Buffer.from(await read(location)).toString('utf8'),

    /**
     * A session with at most the rights of the first of these policies that fits, valid for an hour, in the words of an
     * engine's configuration. `undefined` when none does.
     */
    async credentials(
      sessionName: string,
      [policy, ...others]: readonly string[],
    ): Promise<Record<string, string> | undefined> {
      if (policy === undefined) return undefined
      const key = await assumeRole({ roleArn, sessionName, policy })
      if (key === undefined) return this.credentials(sessionName, others)
      return {
        ...storageConfig,
        's3.access-key-id': key.accessKeyId,
        's3.secret-access-key': key.secretAccessKey,
        's3.session-token': key.sessionToken,
        's3.session-token-expires-at-ms': String(key.expiration.getTime()),
      }
    },
  }
}

export type TableAccess = ReturnType<typeof createTableAccess>
