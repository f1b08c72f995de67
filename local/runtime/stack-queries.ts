import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { athenaOperations } from './athena/operations.ts'
import { Queries } from './athena/queries.ts'
import type { ControlServer } from './control/aws-json-server.ts'
import type { RolePolicies } from './control/role-policies.ts'
import { GlueTables, glueOperations } from './glue/operations.ts'
import type { RoleCredentials } from './lambda/role-credentials.ts'
import { glueDatabase, workGroup } from './resources/data.ts'
import { account } from './resources/resource-type.ts'
import type { RunStackOptions } from './run-stack-options.ts'
import type { Stack } from './template/stack.ts'

interface StackQueriesOptions extends Pick<RunStackOptions, 'dataDir' | 'files' | 'log'> {
  readonly control: ControlServer
  readonly policies: RolePolicies
  readonly credentials: RoleCredentials
  readonly s3: string
}

/** Serves Glue and Athena for the databases and workgroups of the stack. Resolves to the queries. */
export const serveQueries = async (
  stack: Stack,
  { dataDir, files, log, control, policies, credentials, s3 }: StackQueriesOptions,
): Promise<Queries> => {
  const databases = stack.ofType(glueDatabase).map(({ properties }) => properties.DatabaseInput.Name)
  const tables = await GlueTables.open(join(dataDir.path, 'glue'), databases, { files, log })
  const workGroups = new Map(
    stack
      .ofType(workGroup)
      .map(({ name, properties }) => [
        name,
        { cutoffBytes: properties.WorkGroupConfiguration.BytesScannedCutoffPerQuery },
      ]),
  )
  /** A query reads and writes in the rights of who started it, as in the account. */
  const s3Of = async (roleArn: string | undefined): Promise<S3Client> => {
    const { S3Client } = await import('@aws-sdk/client-s3')
    const options = { endpoint: s3, region: account.region, forcePathStyle: true }
    if (roleArn === undefined) return new S3Client({ ...options, credentials: { ...dataDir.root } })
    const environment = await credentials.environment(roleArn, 'athena')
    return new S3Client({
      ...options,
      credentials: {
        accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
        secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
        sessionToken: environment['AWS_SESSION_TOKEN'] ?? '',
      },
    })
  }
  const queries = await Queries.open({
    folder: join(dataDir.path, 'athena'),
    tables,
    workGroups,
    s3Of,
    isAllowed: policies.isAllowed.bind(policies),
    files,
    log,
  })
  control.serve(glueOperations(tables))
  control.serve(athenaOperations(queries))
  return queries
}
