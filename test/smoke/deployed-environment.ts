import { spawn } from 'node:child_process'
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation'
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { type Installation, installationOfStack } from './installation.ts'

const MiB = 1024 ** 2
/** A load of twice the size is done in pieces. */
const sizes = { singleLoadBytes: 64 * MiB, loadRangeBytes: 32 * MiB }
const LARGE_BYTES = 128 * MiB

const run = (command: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', reject)
    child.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args[0]} ended with ${code}`)),
    )
  })

/** An environment of its own in the account of the credentials, which goes with `close`. */
export const deployedInstallation = async (
  environment: string,
  largeBytes = LARGE_BYTES,
): Promise<Installation> => {
  const stack = `Millrace-${environment}`
  const settings = { removalPolicy: 'destroy', sizes }
  const context = [
    '-c',
    `environment=${environment}`,
    '-c',
    `environments=${JSON.stringify({ [environment]: settings })}`,
  ]
  const destroy = async (): Promise<void> => {
    await emptyBuckets(stack)
    await run('npx', ['cdk', 'destroy', '--force', ...context])
  }
  try {
    await run('npx', ['cdk', 'deploy', '--require-approval', 'never', ...context])
    return { ...(await installationOfStack(stack, largeBytes)), close: destroy }
  } catch (error) {
    // A first deployment that failed has rolled back what it made; what it could not is deleted here.
    await destroy().catch(problem => console.error(`The stack ${stack} is still there: ${String(problem)}`))
    throw error
  }
}

/** CloudFormation deletes no bucket that holds something. */
const emptyBuckets = async (stack: string): Promise<void> => {
  const formation = new CloudFormationClient({})
  const s3 = new S3Client({})
  const { StackResources = [] } = await formation.send(
    new DescribeStackResourcesCommand({ StackName: stack }),
  )
  for (const { ResourceType, PhysicalResourceId: Bucket } of StackResources)
    if (ResourceType === 'AWS::S3::Bucket' && Bucket) await emptyBucket(s3, Bucket)
  formation.destroy()
  s3.destroy()
}

/** What is deleted is not listed any more: so each list begins at the front. */
const emptyBucket = async (client: S3Client, Bucket: string): Promise<void> => {
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }))
    if (Objects.length === 0) return
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    )
    if (Errors[0]) throw new Error(`${Bucket}/${Errors[0].Key} cannot be deleted: ${Errors[0].Message}`)
  }
}
