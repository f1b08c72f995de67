import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Match, type Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sweepStorageEvent } from '../../functions/sweep-storage/handler.ts'
import { sweepKinds } from '../../functions/sweep-storage/sweep-kinds.ts'
import { withFile } from '../../infra/bundle.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { resourcesOf, statementsOf } from './resources-of.ts'

const template = synthesiseStack()

/** The names that a file of a function gives to `readEnv`, as they are written there. */
const namesReadBy = (file: string): string[] => {
  const text = readFileSync(join(import.meta.dirname, '../../functions', file), 'utf8')
  return [...text.matchAll(/^ +'([A-Z][A-Z_0-9]+)',$/gm)].map(([, name = '']) => name)
}

describe('functions', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function')

  it('are part of a stack of at most a hundred resources, ten of them alarms', () => {
    const types = Object.values(template.toJSON()['Resources'] as object).map(({ Type }) => Type)
    expect(types.length).toBeLessThanOrEqual(100)
    expect(types.filter(type => type === 'AWS::CloudWatch::Alarm').length).toBeLessThanOrEqual(10)
  })

  it('are these, and no custom resource brings another', () => {
    expect(functions.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'ExportMergeSlices',
      'ExtractRunExtractor',
      'ImportStartImport',
      'PollJob',
      'StoragePreviewExtraction',
      'StorageRunJob',
      'StorageStorageApi',
      'StorageSweepFunction',
      'TickFunction',
    ])
    expect(JSON.stringify(template.toJSON())).not.toContain('Custom::')
  })

  it.each(functions)(
    '%s runs on Node 24 with source maps and a log group of its own',
    (_, { Properties }) => {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Environment: { Variables: { NODE_OPTIONS: expect.stringContaining('--enable-source-maps') } },
        LoggingConfig: { LogGroup: { Ref: expect.any(String) } },
      })
    },
  )

  it.each([
    ['StorageStorageApi', ['x86_64'], 'storage-api/open-app.ts'],
    ['StorageRunJob', ['x86_64'], 'run-job/work.ts'],
    ['ExportMergeSlices', ['arm64'], 'merge-slices/work.ts'],
    ['ImportStartImport', ['arm64'], 'start-import/work.ts'],
    ['PollJob', ['arm64'], 'poll-job/handler.ts'],
    ['StorageSweepFunction', ['arm64'], 'sweep-storage/work.ts'],
    ['TickFunction', ['arm64'], 'tick/work.ts'],
    ['ExtractRunExtractor', ['arm64'], 'run-extractor/work.ts'],
  ] as const)('%s runs on %s and gets each variable that %s reads', (id, architectures, file) => {
    const [, found] = functions.find(([name]) => name.startsWith(id)) ?? []
    const variables = found?.Properties['Environment'] as { Variables: object } | undefined
    const names = namesReadBy(file)
    expect(names).not.toEqual([])
    expect(Object.keys(variables?.Variables ?? {})).toEqual(expect.arrayContaining(names))
    expect(found?.Properties['Architectures']).toEqual(architectures)
  })

  it('logs go after three months', () => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup')
    expect(groups.map(([, { Properties }]) => Properties['RetentionInDays'])).toEqual(groups.map(() => 90))
    const apis = resourcesOf(template, 'AWS::ApiGatewayV2::Api')
    // The machines have one together.
    expect(groups).toHaveLength(functions.length + 1 + apis.length)
  })
})

describe('data', () => {
  it.each(resourcesOf(template, 'AWS::S3::Bucket'))(
    'bucket %s is private, encrypted and kept',
    (id, bucket) => {
      expect(bucket).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
        },
      })
      template.hasResourceProperties('AWS::S3::BucketPolicy', {
        Bucket: { Ref: id },
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          ]),
        },
      })
    },
  )

  it('the landing bucket keeps versions and sends events to EventBridge', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    })
  })

  it.each(resourcesOf(template, 'AWS::DynamoDB::Table'))(
    'table %s is encrypted, restorable and kept',
    (_, table) => {
      expect(table).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          BillingMode: 'PAY_PER_REQUEST',
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          SSESpecification: { SSEEnabled: true },
        },
      })
    },
  )

  it.each(['AWS::SecretsManager::Secret', 'AWS::KMS::Key'])(
    '%s, which opens the data, is kept with it',
    type => {
      const [[, resource] = [], ...others] = resourcesOf(template, type)
      expect([resource, others]).toMatchObject([
        { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' },
        [],
      ])
    },
  )

  it('pages of any origin may use addresses and credentials of the files bucket', () => {
    const [[id, found] = [], ...others] = resourcesOf(template, 'AWS::S3::Bucket').filter(
      ([, { Properties }]) => 'CorsConfiguration' in Properties,
    )
    expect([id, others]).toEqual([expect.stringMatching(/^StorageFiles/), []])
    expect(found?.Properties['CorsConfiguration']).toMatchObject({
      CorsRules: [{ AllowedOrigins: ['*'], ExposedHeaders: ['ETag'] }],
    })
  })

  it('no ARN names a partition', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain('arn:aws:')
  })

  it.each(resourcesOf(template, 'AWS::SQS::Queue'))(
    'queue %s is encrypted and keeps messages for 14 days',
    (_, { Properties }) => {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 })
    },
  )
})

describe('configuration', () => {
  it('landing rules lie beside the bundle of the import hook, however many there are', async () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({ match: `^${index}/`, tableId: 'in.c-a.a' }))
    const codeOf = (landingRules: unknown) =>
      resourcesOf(synthesiseStack({ landingRules }), 'AWS::Lambda::Function').find(([id]) =>
        id.startsWith('ImportStartImport'),
      )?.[1].Properties['Code']
    expect(codeOf(JSON.stringify(rules))).toEqual(codeOf(rules))
    expect(codeOf(rules.slice(1))).not.toEqual(codeOf(rules))

    const folder = await mkdtemp(join(tmpdir(), 'millrace-bundle-test-'))
    await writeFile(join(folder, 'index.mjs'), 'export const a = 1\n')
    const bundle = withFile(
      { name: 'poll-job', folder, contentHash: 'a', isNative: false },
      'rules.json',
      '[]',
    )
    expect((await readdir(bundle.folder)).toSorted()).toEqual(['index.mjs', 'rules.json'])
    expect(await readdir(folder)).toEqual(['index.mjs'])
    await Promise.all([folder, bundle.folder].map(made => rm(made, { recursive: true })))
  })

  it('the import hook decrypts with the keys that objects land with, and with no others', () => {
    const key = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'
    const decrypting = (context: Record<string, unknown>) =>
      statementsOf(synthesiseStack(context)).filter(
        ([id, { Action }]) => id.startsWith('ImportStartImport') && [Action].flat().includes('kms:Decrypt'),
      )
    expect(decrypting({ landingKeyArns: [key] }).map(([, { Resource }]) => Resource)).toEqual([key])
    expect(decrypting({})).toEqual([])
    expect(() => synthesiseStack({ landingKeyArns: ['alias/mine'] })).toThrow(/not the ARN of a KMS key/)
  })

  it('refuses an environment that Lambda would refuse, and names its longest variable', () => {
    const extractorAllowedHosts = Array.from({ length: 500 }, (_, index) => `host-${index}.internal`)
    expect(() => synthesiseStack({ extractorAllowedHosts })).toThrow(/4096. Most of them are ALLOWED_HOSTS/)
  })

  it('with a storage service that exists already, only the functions around it are made', () => {
    const hosted = synthesiseStack({
      storageUrl: 'https://connection.example.com/',
      storageTokenSecret: 'storage/token',
    })
    hosted.resourceCountIs('AWS::ApiGatewayV2::Api', 0)
    hosted.resourceCountIs('AWS::SecretsManager::Secret', 0)
    hosted.resourceCountIs('AWS::StepFunctions::StateMachine', 3)
    hosted.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ STORAGE_URL: 'https://connection.example.com' }) },
    })
  })

  it('schedules are a group of the stack, by which Scheduler counts their failures', () => {
    const [[group = '', { Properties: { Name } = {} }] = ['', { Properties: {} }]] = resourcesOf(
      template,
      'AWS::Scheduler::ScheduleGroup',
    )
    expect(Name).toEqual({ Ref: 'AWS::StackName' })
    for (const [, { Properties }] of resourcesOf(template, 'AWS::Scheduler::Schedule'))
      expect(Properties['GroupName']).toEqual({ Ref: group })
    const alarms = JSON.stringify(resourcesOf(template, 'AWS::CloudWatch::Alarm'))
    for (const metric of ['TargetErrorCount', 'InvocationDroppedCount'])
      expect(alarms).toContain(
        `"Dimensions":[{"Name":"ScheduleGroup","Value":{"Ref":"${group}"}}],"MetricName":"${metric}"`,
      )
  })

  it('an event that nobody took for a day, of what landed or ended, is kept in the one queue, and sounds', () => {
    const [[queue] = []] = resourcesOf(template, 'AWS::SQS::Queue')
    template.resourceCountIs('AWS::SQS::Queue', 1)
    const kept = { DeadLetterConfig: { Arn: { 'Fn::GetAtt': [queue, 'Arn'] } } }
    const targets = resourcesOf(template, 'AWS::Events::Rule').flatMap(
      ([, { Properties }]) => Properties['Targets'],
    )
    expect(targets).toMatchObject([kept, kept])
    template.hasResourceProperties('AWS::Lambda::Function', {
      DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': [queue, 'Arn'] } },
    })
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'NumberOfMessagesSent',
      Threshold: 1,
      EvaluationPeriods: 15,
      DatapointsToAlarm: 1,
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
    })
  })

  it('alarms of this account may publish to their topic, and nobody else', () => {
    const policies = resourcesOf(template, 'AWS::SNS::TopicPolicy')
    expect(policies).toHaveLength(1)
    expect(policies[0]?.[1].Properties['PolicyDocument']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        {
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Resource: { Ref: expect.stringMatching(/^Alarms/) },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    })
  })

  it('alarmEmail receives the alarms', () => {
    synthesiseStack({ alarmEmail: 'ops@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    })
  })

  it.each([
    [{ storageUrl: 'https://connection.example.com' }, /storageTokenSecret/],
    [{ storageUrl: 'http://connection.example.com', storageTokenSecret: 'x' }, /storageUrl/],
    [{ landingRules: [{ match: '(', tableId: 'in.c-a.a' }] }, /landingRules/],
    [{ alarmEmail: 'nobody' }, /alarmEmail/],
    [{ projectId: 'main' }, /projectId/],
    [{ alarmEmial: 'a@example.com' }, 'The context has no "alarmEmial". Did you mean "alarmEmail"?'],
    [{ 'alarm-email': 'a@example.com' }, 'Did you mean "alarmEmail"?'],
    [{ colour: 'red' }, /The context has no "colour". Known: .*projectId,/],
  ])('%j is refused by name', (context, message) => {
    expect(() => synthesiseStack(context)).toThrow(message)
  })

  it('accepts the context entries of CDK', () => {
    synthesiseStack({
      '@aws-cdk/core:checkSecretUsage': true,
      'aws:cdk:enable-path-metadata': true,
      'availability-zones:account=1:region=eu-west-1': ['eu-west-1a'],
      'cli-telemetry': false,
      'acknowledged-issue-numbers': [1],
    })
  })
})

describe('retention', () => {
  it('each kind of sweep has a schedule of its own', () => {
    const target = z.object({ Target: z.object({ Input: z.string() }) })
    const kindsOf = (of: Template) =>
      resourcesOf(of, 'AWS::Scheduler::Schedule')
        .filter(([id]) => id.startsWith('StorageSweep'))
        .map(([, { Properties }]) => {
          expect(Properties).not.toHaveProperty('State')
          expect(Properties['ScheduleExpression']).toMatch(/^cron\(\d+ 0\/6 \* \* \? \*\)$/)
          expect(JSON.stringify(Properties['Target'])).toMatch(/StorageSweepFunction.*SchedulerRole/)
          return sweepStorageEvent.parse(JSON.parse(target.parse(Properties).Target.Input)).kind
        })
        .sort()
    expect(kindsOf(template)).toEqual([...sweepKinds].sort())
  })

  it('the sweep may write nothing but the metadata of tables', () => {
    const written = statementsOf(template)
      .filter(([id, { Action }]) => id.startsWith('StorageSweep') && [Action].flat().includes('s3:PutObject'))
      .map(([, { Resource }]) => JSON.stringify(Resource))
    expect(written).toEqual([expect.stringMatching(/StorageTables.*\/tables\/\*\/metadata\/\*/)])
  })

  it('lifecycle rules remove uploads and exports that the sweep missed', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          Match.objectLike({ Prefix: 'exp-15/', ExpirationInDays: 17 }),
          Match.objectLike({ Prefix: 'exp-2/', ExpirationInDays: 4 }),
        ]),
      },
    })
  })

  it('jobs write exports to the files bucket and nothing else of it', () => {
    const written = statementsOf(template)
      .filter(
        ([id, { Action }]) => id.startsWith('StorageRunJob') && [Action].flat().includes('s3:PutObject'),
      )
      .map(([, { Resource }]) => JSON.stringify(Resource))
      .filter(resource => resource.includes('StorageFiles'))
    expect(written).toEqual([expect.stringContaining('exp-2/*')])
  })
})
