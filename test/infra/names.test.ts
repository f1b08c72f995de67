import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { deployedShape } from './deployed-shapes.ts'
import { resourcesOf } from './resources-of.ts'

/** Properties that name a resource in an account. Everything else that ends in "Name" refers to another one. */
const naming: Readonly<Record<string, readonly string[]>> = {
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::DynamoDB::Table': ['TableName'],
  'AWS::Events::Rule': ['Name'],
  'AWS::IAM::ManagedPolicy': ['ManagedPolicyName'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::Lambda::Function': ['FunctionName'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::Logs::ResourcePolicy': ['PolicyName'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::Scheduler::Schedule': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName'],
}

/** Of these there is one of a name in an account, or in the world, whatever its region. */
const GLOBAL = ['AWS::CloudWatch::Dashboard', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::Role', 'AWS::S3::Bucket']

interface Place {
  'AWS::StackName': string
  'AWS::Region': string
}

const resolved = (value: unknown, place: Place): string => {
  if (typeof value === 'string') return value
  const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] } // As CDK writes texts.
  if (Ref === 'AWS::StackName' || Ref === 'AWS::Region') return place[Ref]
  if (join) return join[1].map(part => resolved(part, place)).join(join[0])
  throw new Error(`A name refers to ${JSON.stringify(value)}`)
}

const at = (properties: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], properties)

/** `<type> <name>` of each resource that the template names itself. */
const namesOf = (template: Template, place: Place): { type: string; name: string }[] =>
  Object.entries(naming).flatMap(([type, paths]) =>
    resourcesOf(template, type).flatMap(([, { Properties }]) =>
      paths.flatMap(path => {
        const value = at(Properties, path)
        return value === undefined ? [] : [{ type, name: `${type} ${resolved(value, place)}` }]
      }),
    ),
  )

const common = (a: { name: string }[], b: { name: string }[]): string[] =>
  a.map(({ name }) => name).filter(name => b.some(other => other.name === name))

describe('names in an account', () => {
  const { template } = deployedShape('all')
  const staging = deployedShape('staging').template
  const inFrankfurt = namesOf(template, { 'AWS::StackName': 'Millrace', 'AWS::Region': 'eu-central-1' })

  it('are others in another region where they count in all of them', () => {
    const inIreland = namesOf(template, { 'AWS::StackName': 'Millrace', 'AWS::Region': 'eu-west-1' })
    const isGlobal = ({ type }: { type: string }): boolean => GLOBAL.includes(type)
    expect(inFrankfurt.filter(isGlobal).length).toBeGreaterThan(0)
    expect(common(inFrankfurt.filter(isGlobal), inIreland.filter(isGlobal))).toEqual([])
  })

  it('are others in another environment beside it', () => {
    const beside = namesOf(staging, { 'AWS::StackName': 'Millrace-staging', 'AWS::Region': 'eu-central-1' })
    expect(common(inFrankfurt, beside)).toEqual([])
  })

  it('are each used once in a stack', () => {
    expect(new Set(inFrankfurt.map(({ name }) => name)).size).toBe(inFrankfurt.length)
  })
})

it('log groups that services of AWS write to lengthen no resource policy of the account', () => {
  const { template } = deployedShape('all')
  const written = [
    ...resourcesOf(template, 'AWS::ApiGatewayV2::Stage').map(
      ([, { Properties }]) => Properties['AccessLogSettings'],
    ),
    ...resourcesOf(template, 'AWS::StepFunctions::StateMachine').map(
      ([, { Properties }]) => Properties['LoggingConfiguration'],
    ),
  ].map(settings => JSON.stringify(settings))
  const groups = resourcesOf(template, 'AWS::Logs::LogGroup').filter(([id]) =>
    written.some(text => text.includes(`"${id}"`)),
  )
  // Of the API, and one of all machines.
  expect(groups).toHaveLength(2)
  for (const [, { Properties }] of groups)
    expect(JSON.stringify(Properties['LogGroupName'])).toContain('/aws/vendedlogs/')
})
