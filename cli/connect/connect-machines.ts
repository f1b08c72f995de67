import type { SFNClient } from '@aws-sdk/client-sfn'
import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Shell } from '../shell/shell.ts'
import { findCloud } from './find-cloud.ts'
import { describeStack } from './stack-outputs.ts'

/** The state machines, buckets and items of the embedded cloud, or of a stack in the account. */
export interface MachineConnection {
  client: SFNClient
  /** The stack's outputs by name. */
  outputs: Readonly<Record<string, string>>
  /** Options of an S3 client for its buckets. */
  s3: Readonly<Record<string, unknown>>
  /** Options of a DynamoDB client for its items. */
  dynamodb: Readonly<Record<string, unknown>>
}

/** Without a stack: the embedded cloud that runs here. Errors: `cli.noStorage`, `cli.noStack`. */
export const connectMachines = (
  stack: string | undefined,
  shell: Pick<Shell, 'environment' | 'workingFolder'>,
): Promise<MachineConnection> => (stack === undefined ? connectLocally(shell) : connectToAccount(stack))

const connectLocally = async (
  shell: Pick<Shell, 'environment' | 'workingFolder'>,
): Promise<MachineConnection> => {
  const { SFNClient } = await import('@aws-sdk/client-sfn')
  const { cloud, place } = await findCloud(shell)
  if (!cloud)
    throw new UserError(
      'cli.noStorage',
      `No embedded cloud runs on ${place}. Start it with millrace start, name its folder in MILLRACE_DATA_DIR, or use --stack.`,
    )
  const { control, region, accessKeyId, secretAccessKey, outputs } = cloud
  const credentials = { accessKeyId, secretAccessKey }
  return {
    client: new SFNClient({ endpoint: control, region, credentials }),
    outputs,
    s3: { endpoint: cloud.s3, region, credentials, forcePathStyle: true },
    dynamodb: { endpoint: cloud.dynamodb, region, credentials },
  }
}

const connectToAccount = async (stack: string): Promise<MachineConnection> => {
  const { SFNClient } = await import('@aws-sdk/client-sfn')
  return { outputs: await describeStack(stack), client: new SFNClient({}), s3: {}, dynamodb: {} }
}
