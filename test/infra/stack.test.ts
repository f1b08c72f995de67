import { Match, type Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { mergeSlicesEnvNames } from '../../functions/merge-slices/env-names.ts'
import { pollJobEnvNames } from '../../functions/poll-job/env-names.ts'
import { runExtractorEnvNames } from '../../functions/run-extractor/env-names.ts'
import { runJobEnvNames } from '../../functions/run-job/env-names.ts'
import { startImportEnvNames } from '../../functions/start-import/env-names.ts'
import { startOpenJobsEnvNames } from '../../functions/start-open-jobs/env-names.ts'
import { startScheduledRunsEnvNames } from '../../functions/start-scheduled-runs/env-names.ts'
import { storageApiEnvNames } from '../../functions/storage-api/env-names.ts'
import { sweepStorageEnvNames } from '../../functions/sweep-storage/env-names.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'

interface Resource {
  Type: string
  // CloudFormation's properties differ by type; the assertions below say what they expect of them.
  Properties: Record<string, unknown>
}

const resourcesOf = (template: Template, type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][] // findResources filters by this very type.

interface Statement {
  Action: string | string[]
  Resource: unknown
}

const statementsOf = (template: Template): [string, Statement][] =>
  resourcesOf(template, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) => {
    const { Statement } = Properties['PolicyDocument'] as { Statement: Statement[] } // The shape of every IAM policy.
    return Statement.map((statement): [string, Statement] => [id, statement])
  })

const template = synthesiseStack()

describe('functions', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function')

  it('there are nine, and no custom resource brings another', () => {
    expect(functions.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'ExportMergeSlices',
      'ExtractRunExtractor',
      'ExtractSchedulesStartScheduledRuns',
      'ImportStartImport',
      'PollJob',
      'StorageOpenJobsStart',
      'StorageRunJob',
      'StorageStorageApi',
      'StorageSweepFunction',
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
    ['StorageStorageApi', ['x86_64'], storageApiEnvNames],
    ['StorageRunJob', ['x86_64'], runJobEnvNames],
    ['ExportMergeSlices', ['arm64'], mergeSlicesEnvNames],
    ['ImportStartImport', ['arm64'], startImportEnvNames],
    ['PollJob', ['arm64'], pollJobEnvNames],
    ['StorageOpenJobsStart', ['arm64'], startOpenJobsEnvNames],
    ['StorageSweepFunction', ['arm64'], sweepStorageEnvNames],
    ['ExtractRunExtractor', ['arm64'], runExtractorEnvNames],
    ['ExtractSchedulesStartScheduledRuns', ['arm64'], startScheduledRunsEnvNames],
  ] as const)('%s runs on %s and gets each variable that it reads', (id, architectures, names) => {
    const [, found] = functions.find(([name]) => name.startsWith(id)) ?? []
    const variables = found?.Properties['Environment'] as { Variables: object } | undefined
    expect(Object.keys(variables?.Variables ?? {})).toEqual(expect.arrayContaining([...names]))
    expect(found?.Properties['Architectures']).toEqual(architectures)
  })

  it('logs go after three months', () => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup')
    expect(groups.map(([, { Properties }]) => Properties['RetentionInDays'])).toEqual(groups.map(() => 90))
    expect(groups).toHaveLength(functions.length)
  })
})

describe('rights', () => {
  it.each(statementsOf(template))('%s names its actions and resources', (_, { Action, Resource }) => {
    expect([Action].flat().filter(action => action.includes('*'))).toEqual([])
    expect([Resource].flat()).not.toContain('*')
  })

  it('no role has a managed policy', () => {
    const managed = resourcesOf(template, 'AWS::IAM::Role').filter(
      ([, { Properties }]) => Properties['ManagedPolicyArns'],
    )
    expect(managed).toEqual([])
  })

  const actionsOf = (policy: string): string[] =>
    statementsOf(template)
      .filter(([id]) => id.startsWith(policy))
      .flatMap(([, { Action }]) => Action)

  it('the import hook describes executions of its own machine only', () => {
    const [, statement] =
      statementsOf(template).find(([id]) => id.startsWith('ImportLookAfterExecutions')) ?? []
    expect(statement?.Action).toBe('states:DescribeExecution')
    expect(JSON.stringify(statement?.Resource)).toMatch(/:execution:.*ImportMachine.*"Name"/)
  })

  it('the import hook reads the landing bucket, writes files, and never the other way round', () => {
    const on = (bucket: string) =>
      statementsOf(template)
        .filter(
          ([id, { Resource }]) =>
            id.startsWith('ImportStartImport') && JSON.stringify(Resource).includes(bucket),
        )
        .flatMap(([, { Action }]) => Action)
        .sort()
    expect(on('ImportLanding')).toEqual([
      's3:GetObject',
      's3:GetObjectVersion',
      's3:ListBucket',
      's3:ListBucketVersions',
    ])
    expect(on('StorageFiles')).toEqual(['s3:AbortMultipartUpload', 's3:PutObject'])
  })

  /** The merger's actions on a bucket and its objects, found by the text of the resource. */
  const mergerRights = (from: Template, bucket: string) =>
    Object.fromEntries(
      statementsOf(from)
        .filter(
          ([id, { Resource }]) =>
            id.startsWith('ExportMergeSlices') && JSON.stringify(Resource).includes(bucket),
        )
        .flatMap(([, { Action, Resource }]) =>
          [Action].flat().map(action => [action, /\.work/.test(JSON.stringify(Resource)) ? 'work' : 'all']),
        ),
    )

  it('the merger reads files, writes exports, and deletes nothing but its own work', () => {
    expect(mergerRights(template, 'StorageFiles')).toEqual({ 's3:GetObject': 'all', 's3:ListBucket': 'all' })
    expect(mergerRights(template, 'ExportExports')).toEqual({
      's3:GetObject': 'all',
      's3:ListBucket': 'all',
      's3:PutObject': 'all',
      's3:AbortMultipartUpload': 'all',
      's3:ListMultipartUploadParts': 'all',
      's3:ListBucketMultipartUploads': 'all',
      's3:DeleteObject': 'work',
    })
  })

  it('the merger writes other buckets only when the configuration names them', () => {
    expect(mergerRights(template, 'reports')).toEqual({})
    const rights = mergerRights(synthesiseStack({ exportBuckets: ['reports'] }), 'reports')
    expect(rights).toMatchObject({ 's3:PutObject': 'all' })
    expect(rights).not.toHaveProperty('s3:DeleteObject')
  })

  it('the functions around the storage service know nothing of its tables and buckets', () => {
    const poll = actionsOf('PollJob').filter(action => !/^(logs|secretsmanager):/.test(action))
    expect(poll).toEqual([])
    const items = resourcesOf(template, 'AWS::DynamoDB::Table').find(([id]) =>
      id.startsWith('StorageItems'),
    )?.[0]
    const readers = statementsOf(template).filter(([, statement]) =>
      JSON.stringify(statement).includes(`"${items}"`),
    )
    expect(readers.map(([id]) => id.replace(/RoleDefaultPolicy.*/, '')).sort()).toEqual([
      'StorageOpenJobsStart',
      'StorageRunJob',
      'StorageStorageApi',
      'StorageSweepFunction',
    ])
  })

  it('the storage API seals secrets and cannot open them, the extractor the other way round', () => {
    const ofKeys = statementsOf(template).filter(([, { Action }]) =>
      [Action].flat().some(action => action.startsWith('kms:')),
    )
    expect(ofKeys.map(([id, { Action }]) => [id.replace(/RoleDefaultPolicy.*/, ''), Action])).toEqual([
      ['StorageStorageApi', 'kms:GenerateDataKey'],
      ['ExtractRunExtractor', 'kms:Decrypt'],
    ])
    template.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    })
  })

  it('only the storage API issues credentials of files', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      Description: Match.stringLikeRegexp('credentials of one file'),
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Principal: { AWS: { 'Fn::GetAtt': [Match.stringLikeRegexp('StorageApiRole'), 'Arn'] } },
          },
        ],
      },
    })
    const issuers = statementsOf(template).filter(([, { Action }]) =>
      [Action].flat().includes('sts:AssumeRole'),
    )
    expect(issuers.map(([id]) => id)).toEqual([expect.stringContaining('StorageStorageApiRole')])
  })
})

describe('data', () => {
  it.each(resourcesOf(template, 'AWS::S3::Bucket'))(
    'bucket %s is private, encrypted and kept',
    (id, bucket) => {
      expect(bucket).toMatchObject({
        DeletionPolicy: 'Retain',
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
        DeletionPolicy: 'Retain',
        Properties: {
          BillingMode: 'PAY_PER_REQUEST',
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          SSESpecification: { SSEEnabled: true },
        },
      })
    },
  )

  it.each(resourcesOf(template, 'AWS::SQS::Queue'))(
    'queue %s is encrypted and keeps messages for 14 days',
    (_, { Properties }) => {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 })
    },
  )
})

describe('import flow', () => {
  it('an object in the landing bucket starts the import machine; an event that cannot be delivered is kept', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: { bucket: { name: [{ Ref: Match.stringLikeRegexp('ImportLanding') }] } },
      },
      Targets: [
        Match.objectLike({
          Arn: { Ref: Match.stringLikeRegexp('ImportMachine') },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('ImportDeadLetters'), 'Arn'] } },
        }),
      ],
    })
  })

  it.each(['Import', 'Export', 'StorageJobs', 'Extract'])(
    'a dead letter of %s sets off an alarm that says what to do',
    flow => {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Threshold: 1,
        Dimensions: [
          {
            Name: 'QueueName',
            Value: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${flow}DeadLetters`), 'QueueName'] },
          },
        ],
        AlarmActions: [{ Ref: Match.stringLikeRegexp('Alarms') }],
        AlarmDescription: {
          'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp('how to try again')])],
        },
      })
    },
  )

  interface State {
    Type: string
    Next?: string
    Retry?: { ErrorEquals: string[] }[]
    Catch?: { ErrorEquals: string[]; Next: string }[]
    Default?: string
    Choices?: { Next: string }[]
  }

  const definitionOf = (machine: string): { TimeoutSeconds: number; States: Record<string, State> } => {
    const [, found] =
      resourcesOf(template, 'AWS::StepFunctions::StateMachine').find(([id]) => id.startsWith(machine)) ?? []
    // CDK joins the definition from texts and references.
    const definition = found?.Properties['DefinitionString'] as { 'Fn::Join': [string, unknown[]] }
    return JSON.parse(definition['Fn::Join'][1].map(part => (typeof part === 'string' ? part : 'x')).join(''))
  }

  it.each(['ImportMachine', 'ExportMachine', 'StorageJobsMachine', 'ExtractMachine'])(
    'every task of %s names what it retries and catches',
    machine => {
      const { States, TimeoutSeconds } = definitionOf(machine)
      const lambdaTasks = Object.entries(States).filter(
        ([name, { Type }]) => Type === 'Task' && name !== 'WriteDeadLetter',
      )
      expect(lambdaTasks.length).toBeGreaterThan(1)
      for (const [, task] of lambdaTasks) {
        expect(task.Retry?.flatMap(retry => retry.ErrorEquals)).toContain('TransientError')
        expect(task.Retry?.flatMap(retry => retry.ErrorEquals)).not.toContain('UserError')
        expect(task.Catch).toHaveLength(1)
      }
      expect(TimeoutSeconds).toBeGreaterThan(0)
    },
  )

  it('an object too large for one function is moved by several, and then imported', () => {
    const { States } = definitionOf('ImportMachine')
    expect(States['MoveParts']).toMatchObject({ Type: 'Map', ItemsPath: '$.import.ranges', Next: 'Start' })
  })

  it.each(['ImportMachine', 'ExportMachine', 'StorageJobsMachine'])(
    'every failure of %s ends in a dead letter, then fails',
    machine => {
      const { States } = definitionOf(machine)
      /** All ways from a state to an end. */
      const waysFrom = (name: string): string[][] => {
        const { Next, Default, Choices = [] } = States[name] ?? {}
        const next = [Next, Default, ...Choices.map(choice => choice.Next)].filter(to => to !== undefined)
        return next.length === 0 ? [[name]] : next.flatMap(waysFrom).map(way => [name, ...way])
      }
      for (const { Catch = [] } of Object.values(States)) {
        for (const way of Catch.flatMap(({ Next }) => waysFrom(Next))) {
          expect(way).toContain('WriteDeadLetter')
          expect(States[way.at(-1) ?? '']?.Type).toBe('Fail')
        }
      }
    },
  )
})

describe('extract flow', () => {
  const statements = statementsOf(template).filter(([id]) => id.startsWith('ExtractRunExtractor'))

  it('writes runs and leases in its own bucket, which forgets runs, and deletes nothing', () => {
    const actions = statements.flatMap(([, { Action }]) => Action).filter(action => action.startsWith('s3:'))
    expect([...new Set(actions)].sort()).toEqual([
      's3:AbortMultipartUpload',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ])
    const written = statements.filter(([, { Action }]) => [Action].flat().includes('s3:PutObject'))
    expect(JSON.stringify(written.map(([, { Resource }]) => Resource))).toMatch(/"\/runs\/\*".*"\/turns\/\*"/)
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([Match.objectLike({ Prefix: 'runs/', ExpirationInDays: 14 })]),
      },
    })
  })

  it('a leg ends before its function does, as the stack configuration says', () => {
    const legs = (context: object) =>
      synthesiseStack({ ...context }).hasResourceProperties('AWS::Lambda::Function', {
        Timeout: 900,
        Environment: { Variables: Match.objectLike({ LEG_SECONDS: '2', ALLOWED_HOSTS: '["127.0.0.1"]' }) },
      })
    legs({ extractorLegSeconds: 2, extractorAllowedHosts: ['127.0.0.1'] })
    legs({ extractorLegSeconds: '2', extractorAllowedHosts: '["127.0.0.1"]' })
    expect(() => synthesiseStack({ extractorLegSeconds: 900 })).toThrow(/extractorLegSeconds/)
  })

  it('by default no host that is not public can be reached', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LEG_SECONDS: '600', ALLOWED_HOSTS: '[]' }) },
    })
  })
})

describe('schedules', () => {
  const nightly = {
    name: 'nightly',
    expression: 'cron(0 2 * * ? *)',
    timezone: 'Europe/Prague',
    componentId: 'ex-generic-v2',
    configId: 'shop',
    flexibleMinutes: 15,
  }

  it('a schedule of the stack starts the extract machine and may do nothing else', () => {
    const scheduled = synthesiseStack({ schedules: [nightly] })
    scheduled.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'cron(0 2 * * ? *)',
      ScheduleExpressionTimezone: 'Europe/Prague',
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
      Target: {
        Arn: { Ref: Match.stringLikeRegexp('ExtractMachine') },
        Input: JSON.stringify({
          componentId: 'ex-generic-v2',
          configId: 'shop',
          overlap: 'skip',
          trigger: 'schedule nightly',
        }),
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('ExtractDeadLetters'), 'Arn'] } },
      },
    })
    const rights = statementsOf(scheduled).filter(([id]) => id.startsWith('ExtractSchedulesRole'))
    expect(rights.map(([, { Action }]) => Action)).toEqual(['states:StartExecution', 'sqs:SendMessage'])
  })

  it('schedules of configurations need one schedule, each minute; nobody may make schedules or pass roles', () => {
    const expressionsOf = (given: Template) =>
      resourcesOf(given, 'AWS::Scheduler::Schedule')
        .filter(([id]) => id.startsWith('ExtractSchedules'))
        .map(([, { Properties }]) => Properties['ScheduleExpression'])
    expect(expressionsOf(template)).toEqual(['rate(1 minute)'])
    expect(expressionsOf(synthesiseStack({ scheduledComponents: [] }))).toEqual([])
    const actions = statementsOf(template).flatMap(([, { Action }]) => Action)
    expect(actions.filter(action => /^(scheduler:|iam:)/.test(action))).toEqual([])
  })

  it.each([
    ['an expression that cannot be read', { expression: 'daily' }],
    ['a time zone that does not exist', { timezone: 'Mars/Base' }],
    ['an unknown field', { cron: '0 2 * * *' }],
    ['a configuration that cannot be', { configId: '../x' }],
  ])('%s is refused', (_, change) => {
    expect(() => synthesiseStack({ schedules: [{ ...nightly, ...change }] })).toThrow(/schedules/)
  })

  it('two of one name are refused', () => {
    expect(() => synthesiseStack({ schedules: [nightly, nightly] })).toThrow(/name of its own/)
  })
})

describe('configuration', () => {
  it('landing rules reach the import hook', () => {
    const rules = [{ match: '^a/', tableId: 'in.c-a.a' }]
    synthesiseStack({ landingRules: rules }).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LANDING_RULES: JSON.stringify(rules) }) },
    })
    synthesiseStack({ landingRules: JSON.stringify(rules) }).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LANDING_RULES: JSON.stringify(rules) }) },
    })
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
    [{ colour: 'red' }, 'The context has no "colour". Known: projectId,'],
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
      bundlesRunOn: 'lambda',
    })
  })
})

describe('retention', () => {
  it('a schedule starts the sweep, which may write nothing but its notes', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(6 hours)',
      State: Match.absent(),
      Target: {
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^StorageSweepFunction'), 'Arn'] },
        RoleArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^StorageSweepScheduleRole'), 'Arn'] },
      },
    })
    const written = statementsOf(template)
      .filter(([id, { Action }]) => id.startsWith('StorageSweep') && [Action].flat().includes('s3:PutObject'))
      .map(([, { Resource }]) => JSON.stringify(Resource))
    expect(written).toEqual([expect.stringMatching(/StorageTables.*sweep\/\*/)])
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
