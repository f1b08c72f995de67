import { Template } from 'aws-cdk-lib/assertions'
import type { MillraceStack } from '../../infra/stack.ts'
import { makeStack } from '../support/synthesise-stack.ts'

const inAccount = 'eu-central-1:123456789012'

/** What a deployment may look like, by name: each shape, and an environment with everything that can be chosen. */
const contexts: Readonly<Record<string, Record<string, unknown>>> = {
  all: {},
  functions: {
    storageUrl: 'https://connection.example.com',
    storageTokenSecret: 'storage/token',
  },
  staging: {
    environment: 'staging',
    environments: { staging: { removalPolicy: 'destroy', snapshotRetentionDays: 2 } },
    alarmEmail: 'ops@example.com',
    dataKeyArn: `arn:aws:kms:${inAccount}:key/1234abcd-12ab-34cd-56ef-1234567890ab`,
    apiDomainName: 'storage.example.com',
    apiCertificateArn: `arn:aws:acm:${inAccount}:certificate/1234abcd-12ab-34cd-56ef-1234567890ab`,
    schedules: [
      { name: 'nightly', expression: 'cron(0 2 * * ? *)', componentId: 'ex-generic-v2', configId: '1' },
    ],
  },
}

interface DeployedShape {
  readonly name: string
  readonly stack: MillraceStack
  readonly template: Template
}

/** Each synthesised once for the tests of a file. */
export const deployedShapes: readonly DeployedShape[] = Object.entries(contexts).map(([name, context]) => {
  const stack = makeStack(context)
  return { name, stack, template: Template.fromStack(stack) }
})

export const deployedShape = (name: string): DeployedShape => {
  const found = deployedShapes.find(shape => shape.name === name)
  if (found === undefined) throw new Error(`There is no shape ${name}`)
  return found
}
