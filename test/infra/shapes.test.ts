import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { withoutEffect } from '../../infra/deployment-config.ts'
import { readStackConfig } from '../../infra/stack-config.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { deployedShape, deployedShapes } from './deployed-shapes.ts'
import { resourcesOf, statementsOf } from './resources-of.ts'

const read = (context: Record<string, unknown>) => readStackConfig(context)

const outputsOf = (name: string): string[] =>
  Object.keys(deployedShape(name).template.toJSON()['Outputs']).toSorted()

describe('the shape', () => {
  const machinesOf = (name: string) =>
    resourcesOf(deployedShape(name).template, 'AWS::StepFunctions::StateMachine').map(([id]) =>
      id.replace(/Machine.*/, ''),
    )

  it('"all" is everything', () => {
    expect(machinesOf('all').toSorted()).toEqual(['Export', 'Extract', 'Import', 'StorageJobs'])
  })

  it('"functions" has no storage service, and works for the one that it is given', () => {
    const { template } = deployedShape('functions')
    expect(machinesOf('functions').toSorted()).toEqual(['Export', 'Extract', 'Import'])
    for (const type of ['AWS::ApiGatewayV2::Api', 'AWS::SecretsManager::Secret', 'AWS::KMS::Key'])
      template.resourceCountIs(type, 0)
    expect(outputsOf('functions')).not.toContain('FilesBucket')
  })

  it('is "functions" when only the address of a storage service is given', () => {
    const { shape } = read({ storageUrl: 'https://a.example.com', storageTokenSecret: 't' })
    expect([shape, read({}).shape]).toEqual(['functions', 'all'])
  })

  it('says which values change nothing in it', () => {
    const given = { landingRules: '[]', snapshotRetentionDays: 3, alarmEmail: 'a@example.com' }
    expect(withoutEffect(given)).toEqual([])
    expect(withoutEffect({ ...given, storageUrl: 'https://a.example.com' })).toEqual([
      'snapshotRetentionDays',
    ])
  })
})

describe.each(deployedShapes)('in the shape $name', ({ template }) => {
  it('every machine logs each step without data', () => {
    for (const [, { Properties }] of resourcesOf(template, 'AWS::StepFunctions::StateMachine'))
      expect(Properties['LoggingConfiguration']).toMatchObject({
        Level: 'ALL',
        IncludeExecutionData: false,
        Destinations: [{ CloudWatchLogsLogGroup: expect.anything() }],
      })
  })

  it('the gateway logs each request, and no query', () => {
    for (const [, { Properties }] of resourcesOf(template, 'AWS::ApiGatewayV2::Stage')) {
      const { Format } = Properties['AccessLogSettings'] as { Format: string } // The shape of a stage's settings.
      expect(Object.values(JSON.parse(Format))).toEqual(
        expect.arrayContaining(['$context.path', '$context.status']),
      )
      expect(Format).not.toMatch(/query|authorizer|header/i)
    }
  })

  it('fits what CloudFormation takes in one template', () => {
    expect(Buffer.byteLength(JSON.stringify(template.toJSON()))).toBeLessThan(1_000_000)
    expect(Object.keys(template.toJSON()['Resources']).length).toBeLessThan(500)
  })
})

/** Their names refer to others, or need not be unique. */
const mayRepeat = [
  'AWS::CloudWatch::Alarm',
  'AWS::Route53::RecordSet',
  'AWS::Lambda::Permission',
  'AWS::Lambda::EventInvokeConfig',
]

describe('an environment', () => {
  const { stack, template } = deployedShape('staging')

  it('has a stack of its own, with the same logical ids', () => {
    expect([stack.stackName, deployedShape('all').stack.stackName]).toEqual(['Millrace-staging', 'Millrace'])
    const idsOf = (type: string, name: string) =>
      resourcesOf(deployedShape(name).template, type).map(([id]) => id)
    for (const type of ['AWS::S3::Bucket', 'AWS::DynamoDB::Table', 'AWS::StepFunctions::StateMachine'])
      expect(idsOf(type, 'staging')).toEqual(idsOf(type, 'all'))
  })

  it('gives nothing a fixed name that another environment could have, too', () => {
    const named =
      /"(BucketName|TableName|FunctionName|RoleName|QueueName|TopicName|AlarmName|DashboardName|StateMachineName|LogGroupName|Name)":/
    for (const [id, { Type, Properties }] of Object.entries(
      template.toJSON()['Resources'] as Record<
        string,
        { Type: string; Properties?: Record<string, unknown> }
      >,
    )) {
      if (mayRepeat.includes(Type)) continue
      for (const [name, value] of Object.entries(Properties ?? {}))
        if (named.test(`"${name}":`))
          expect([id, JSON.stringify(value)]).toEqual([id, expect.stringContaining('AWS::StackName')])
    }
  })

  it('is named in the text of each of its alarms', () => {
    const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm')
    expect(alarms.length).toBeGreaterThan(3)
    for (const [, { Properties }] of alarms)
      expect(JSON.stringify(Properties['AlarmDescription'])).toContain('[staging] ')
  })

  it('chooses what is kept, and for how long', () => {
    for (const type of [
      'AWS::S3::Bucket',
      'AWS::DynamoDB::Table',
      'AWS::KMS::Key',
      'AWS::SecretsManager::Secret',
    ])
      for (const [, resource] of resourcesOf(template, type))
        expect(resource).toMatchObject({ DeletionPolicy: 'Delete' })
    for (const [, { Properties }] of resourcesOf(template, 'AWS::Logs::LogGroup'))
      expect(Properties['RetentionInDays']).toBe(90)
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ SNAPSHOT_RETENTION_DAYS: '2' }) },
    })
  })

  it('takes the place of common values with its own, and of no others', () => {
    const environments = {
      staging: { snapshotRetentionDays: 7 },
      production: { alarmEmail: 'ops@example.com' },
    }
    const common = { environments, snapshotRetentionDays: 30, projectId: '5' }
    expect(read({ ...common, environment: 'staging' })).toMatchObject({
      snapshotRetentionDays: 7,
      projectId: '5',
    })
    expect(read({ ...common, environment: 'production' })).toMatchObject({ snapshotRetentionDays: 30 })
    expect(
      read({ ...common, environments: JSON.stringify(environments), environment: 'staging' }),
    ).toMatchObject({
      snapshotRetentionDays: 7,
    })
  })
})

describe('what the account has', () => {
  const { template } = deployedShape('staging')
  const dataKey = JSON.stringify(resourcesOf(template, 'AWS::S3::Bucket')).match(/arn:aws:kms[^"]*/)?.[0]

  it('a customer’s key holds buckets, items and the token', () => {
    expect(dataKey).toMatch(/key\/1234abcd/)
    for (const type of ['AWS::S3::Bucket', 'AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret'])
      for (const [id, { Properties }] of resourcesOf(template, type))
        expect([id, JSON.stringify(Properties)]).toEqual([id, expect.stringContaining(String(dataKey))])
  })

  it('who reads or writes under the customer’s key may use it', () => {
    const rights = new Map<string, { actions: string[]; key: string[] }>()
    for (const [id, { Action, Resource }] of statementsOf(template)) {
      const found = rights.get(id) ?? { actions: [], key: [] }
      rights.set(id, found)
      found.actions.push(...[Action].flat())
      if (JSON.stringify(Resource).includes(String(dataKey))) found.key.push(...[Action].flat())
    }
    const needs: [RegExp, string][] = [
      [/^s3:GetObject$/, 'kms:Decrypt'],
      [/^s3:PutObject$/, 'kms:GenerateDataKey'],
      [/^dynamodb:/, 'kms:Decrypt'],
      [/^secretsmanager:GetSecretValue$/, 'kms:Decrypt'],
    ]
    expect(rights.size).toBeGreaterThan(10)
    for (const [id, { actions, key }] of rights)
      for (const [action, needed] of needs)
        if (actions.some(one => action.test(one)))
          expect([id, key]).toEqual([id, expect.arrayContaining([needed])])
  })

  it('the API has the customer’s name, and functions use it', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: 'storage.example.com' })
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ STORAGE_URL: 'https://storage.example.com' }) },
    })
    expect(outputsOf('staging')).toContain('ApiDomainTarget')
  })

  it('the API has all names below one, where a wildcard is given, for clients that derive them', () => {
    const names = synthesiseStack({
      apiDomainName: '*.example.com',
      apiCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
    })
    names.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: '*.example.com' })
    names.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ STORAGE_URL: 'https://connection.example.com' }) },
    })
  })
})
