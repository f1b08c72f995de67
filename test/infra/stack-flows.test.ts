import { Match, type Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { resourcesOf, statementsOf } from './resources-of.ts'

const template = synthesiseStack()

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
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Undelivered'), 'Arn'] } },
        }),
      ],
    })
  })

  it.each(['import', 'export', 'jobs', 'extract'])(
    'each execution of %s that failed sets off an alarm that says what to do',
    machine => {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'ExecutionsFailed',
        Statistic: 'Sum',
        Threshold: 1,
        Dimensions: [
          { Name: 'machine', Value: machine },
          { Name: 'service', Value: 'tick' },
        ],
        AlarmActions: [{ Ref: Match.stringLikeRegexp('Alarms') }],
        AlarmDescription: Match.stringLikeRegexp('"npx millrace letters" shows why'),
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
    ItemProcessor?: { States: Record<string, State> }
  }

  const definitionOf = (machine: string): { TimeoutSeconds: number; States: Record<string, State> } => {
    const [, found] =
      resourcesOf(template, 'AWS::StepFunctions::StateMachine').find(([id]) => id.startsWith(machine)) ?? []
    // CDK joins the definition from texts and references.
    const definition = found?.Properties['DefinitionString'] as { 'Fn::Join': [string, unknown[]] }
    return JSON.parse(definition['Fn::Join'][1].map(part => (typeof part === 'string' ? part : 'x')).join(''))
  }

  /** With those that run inside a Map. */
  const allStates = (states: Record<string, State>): [string, State][] =>
    Object.entries(states).flatMap(([name, state]) => [
      [name, state],
      ...allStates(state.ItemProcessor?.States ?? {}),
    ])

  it('one rule hears of every execution that did not succeed, or may mend what did not', () => {
    const rules = resourcesOf(template, 'AWS::Events::Rule').filter(([id]) => id.startsWith('Tick'))
    expect(rules.map(([, { Properties }]) => Properties)).toMatchObject([
      {
        EventPattern: {
          source: ['aws.states'],
          detail: {
            $or: [
              {
                stateMachineArn: [/^StorageJobs/, /^Import/, /^Export/, /^Extract/].map(id => ({
                  Ref: expect.stringMatching(id),
                })),
                status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
              },
              {
                stateMachineArn: [{ Ref: expect.stringMatching(/^Extract/) }],
                status: ['SUCCEEDED'],
              },
              { stateMachineArn: [{ Ref: expect.stringMatching(/^Export/) }], status: ['SUCCEEDED'] },
              {
                stateMachineArn: [{ Ref: expect.stringMatching(/^Import/) }],
                status: ['SUCCEEDED'],
                output: [{ wildcard: '*"mends"*' }],
              },
            ],
          },
        },
        Targets: [{ Arn: { 'Fn::GetAtt': [expect.stringMatching(/^TickFunction/), 'Arn'] } }],
      },
    ])
  })

  it.each(['ImportMachine', 'ExportMachine', 'StorageJobsMachine', 'ExtractMachine'])(
    'every task of %s names what it retries and catches',
    machine => {
      const { States, TimeoutSeconds } = definitionOf(machine)
      const lambdaTasks = allStates(States).filter(([, { Type }]) => Type === 'Task')
      expect(lambdaTasks.length).toBeGreaterThan(1)
      for (const [name, task] of lambdaTasks) {
        expect(task.Retry?.flatMap(retry => retry.ErrorEquals)).toEqual(
          expect.arrayContaining(['TransientError', 'Lambda.TooManyRequestsException']),
        )
        expect(task.Retry?.flatMap(retry => retry.ErrorEquals)).not.toContain('UserError')
        // The Map around them catches for the ranges of a file and of a load.
        if (!/(Range|Group|Part)$/.test(name)) expect(task.Catch?.at(-1)?.ErrorEquals).toEqual(['States.ALL'])
      }
      expect(TimeoutSeconds).toBeGreaterThan(0)
    },
  )

  it.each(['ImportMachine', 'ExportMachine', 'StorageJobsMachine', 'ExtractMachine'])(
    '%s ends well by an answer that says so; everything else fails, with all that is known as its cause',
    machine => {
      const { States } = definitionOf(machine)
      expect(States).toMatchObject({
        End: { Choices: [{ StringEquals: 'done', Next: 'Done' }], Default: 'Failed' },
        Failed: { Type: 'Fail', CausePath: 'States.JsonToString($.answer.report)' },
      })
      const all = Object.fromEntries(allStates(States))
      expect(all['StepAfterFailure']).toMatchObject({ Catch: [{ Next: 'EvenThatFailed' }], Next: 'WhatNow' })
      expect(all['Step']).toMatchObject({ Catch: [{ Next: 'StepAfterFailure' }], Next: 'WhatNow' })
      expect(all['Each']).toMatchObject({ Catch: [{ Next: 'StepAfterFailure' }], Next: 'Step' })
    },
  )

  it('the one machine that may run for days does its steps in child executions', () => {
    const isLong = (machine: string): boolean => 'Steps' in definitionOf(machine).States
    expect(['ImportMachine', 'ExportMachine', 'StorageJobsMachine', 'ExtractMachine'].filter(isLong)).toEqual(
      ['ExtractMachine'],
    )
  })
})

describe('extract flow', () => {
  const statements = statementsOf(template).filter(([id]) => id.startsWith('ExtractRunExtractor'))

  it('writes runs and leases in its own bucket, which forgets runs, and deletes nothing', () => {
    const actions = statements.flatMap(([, { Action }]) => Action).filter(action => action.startsWith('s3:'))
    expect([...new Set(actions)].sort()).toEqual(['s3:GetObject', 's3:ListBucket', 's3:PutObject'])
    const written = statements.filter(([, { Action }]) => [Action].flat().includes('s3:PutObject'))
    expect(JSON.stringify(written.map(([, { Resource }]) => Resource))).toMatch(
      /"\/runs\/\*".*"\/leases\/\*"/,
    )
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
    legs({ sizes: { legSeconds: 2 }, extractorAllowedHosts: ['127.0.0.1'] })
    legs({ sizes: '{"legSeconds":"2"}', extractorAllowedHosts: '["127.0.0.1"]' })
    expect(() => synthesiseStack({ sizes: { legSeconds: 900 } })).toThrow(/legSeconds/)
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

  it('schedules of the stack lie beside the bundle of tick, and make nothing else', () => {
    const scheduled = synthesiseStack({ schedules: [nightly] })
    const differing = Object.entries(scheduled.toJSON()['Resources']).filter(
      ([id, resource]) => JSON.stringify(resource) !== JSON.stringify(template.toJSON()['Resources'][id]),
    )
    expect(differing.map(([id]) => id)).toEqual([expect.stringMatching(/^TickFunction[0-9A-F]{8}$/)])
  })

  it('schedules of configurations need one schedule, each minute; nobody may make schedules, or pass a role but that of large merges', () => {
    const expressionsOf = (given: Template) =>
      resourcesOf(given, 'AWS::Scheduler::Schedule')
        .filter(([id]) => id.startsWith('Tick'))
        .map(([, { Properties }]) => Properties['ScheduleExpression'])
    expect(expressionsOf(template)).toEqual(['rate(1 minute)'])
    const statements = statementsOf(template).map(([, statement]) => statement)
    expect(
      statements.filter(({ Action }) => [Action].flat().some(action => /^(scheduler:|iam:)/.test(action))),
    ).toEqual([
      {
        Action: 'iam:PassRole',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^StorageMergesRole/), 'Arn'] },
        Condition: { StringEquals: { 'iam:PassedToService': 'emr-serverless.amazonaws.com' } },
      },
    ])
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
