import { dirname, join } from 'node:path'
import type { Machines } from '../../functions/lib/cloud/machines.ts'
import type { ReadSecret } from '../../functions/lib/cloud/secrets.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { findRunningCloud, type RunningCloud } from '../../local/runtime/running-cloud.ts'
import { dataDirOf, type Shell } from '../shell/shell.ts'

type Place = Pick<Shell, 'environment' | 'workingFolder'>

/** The embedded cloud that runs here, or a stack in the account. */
export interface Installation {
  /** The stack's outputs by name. */
  outputs: Readonly<Record<string, string>>
  /** Its state machines. Loaded when they are asked for. */
  machines: () => Promise<Omit<Machines, 'stop'>>
  /** Its secrets. Loaded when they are asked for. */
  readSecret: () => Promise<ReadSecret>
  /** Options of an SDK client for its buckets. */
  s3: Readonly<Record<string, unknown>>
}

/** Errors: `cli.noStorage` with this sentence when no stack is named and no cloud runs here, `cli.noStack`. */
export const findInstallation = async (
  stack: string | undefined,
  shell: Place,
  whenNone: (place: string) => string,
): Promise<Installation> => {
  if (stack !== undefined)
    return {
      outputs: await describeStack(stack),
      machines: async () => {
        const sdk = await import('../../functions/lib/cloud/step-functions.ts')
        const { describeExecution: describe, listExecutions: list, startExecution: start } = sdk
        return sdk.stepFunctions({ describe, list, start })
      },
      readSecret: async () => (await import('../../functions/lib/cloud/read-secret.ts')).readSecret,
      s3: {},
    }
  const { cloud, place } = await findCloud(shell)
  if (!cloud) throw new UserError('cli.noStorage', whenNone(place))
  const { api, s3, region, accessKeyId, secretAccessKey, outputs } = cloud
  const { controlOf } = await import('../../local/runtime/control.ts')
  const { machines, readSecret } = controlOf(cloud)
  const account = { region, credentials: { accessKeyId, secretAccessKey } }
  return {
    outputs: { ...outputs, ApiUrl: api },
    machines: async () => machines,
    readSecret: async () => readSecret,
    s3: { endpoint: s3, ...account, forcePathStyle: true },
  }
}

/** The same for what needs the state machines. */
export const findMachines = (stack: string | undefined, shell: Place): Promise<Installation> =>
  findInstallation(
    stack,
    shell,
    place =>
      `No embedded cloud runs on ${place}. Start it with millrace start, name its folder in MILLRACE_DATA_DIR, or use --stack.`,
  )

/** The embedded cloud that runs on `MILLRACE_DATA_DIR`; without it on `.millrace` of this folder or of one above. */
export const findCloud = async (
  shell: Place,
): Promise<{ cloud: RunningCloud | undefined; place: string }> => {
  const dataDir = dataDirOf(shell)
  if (shell.environment['MILLRACE_DATA_DIR'])
    return { cloud: await findRunningCloud(dataDir), place: dataDir }
  for (let folder = shell.workingFolder; ; folder = dirname(folder)) {
    const cloud = await findRunningCloud(join(folder, '.millrace'))
    if (cloud) return { cloud, place: join(folder, '.millrace') }
    if (folder === dirname(folder)) return { cloud: undefined, place: '.millrace, here or in a folder above' }
  }
}

/** The outputs of a CloudFormation stack by name. Error: `cli.noStack`. */
export const describeStack = async (name: string): Promise<Readonly<Record<string, string>>> => {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation')
  const client = new CloudFormationClient({})
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }))
    const outputs = Stacks[0]?.Outputs ?? []
    return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError('cli.noStack', `The stack ${name} cannot be read: ${reason}`, { cause })
  } finally {
    client.destroy()
  }
}
