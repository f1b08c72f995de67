import { describe, expect, it } from 'vitest'
import { metricUnits } from '#lib/aws/metric-units.ts'
import { prices } from '../../infra/dashboard.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { deployedShape, deployedShapes } from './deployed-shapes.ts'
import { resourcesOf } from './resources-of.ts'

interface Graph {
  type: string
  properties: { title?: string; markdown?: string; metrics?: unknown[][] }
}

type Template = (typeof deployedShapes)[number]['template']

/** The widgets of the one dashboard; names that only the account knows are their logical ids. */
const widgetsOf = (template: Template): Graph[] => {
  const dashboards = resourcesOf(template, 'AWS::CloudWatch::Dashboard')
  expect(dashboards).toHaveLength(1)
  const [body] = dashboards.map(([, { Properties }]) => Properties['DashboardBody'])
  const { 'Fn::Join': join } = body as { 'Fn::Join': [string, unknown[]] } // CDK joins texts and references.
  const text = join[1].map(part => {
    if (typeof part === 'string') return part
    const { Ref, 'Fn::GetAtt': attribute } = part as { Ref?: string; 'Fn::GetAtt'?: string[] }
    return Ref ?? attribute?.[0] ?? ''
  })
  return JSON.parse(text.join('')).widgets
}

describe.each(deployedShapes)('the dashboard of the shape $name', ({ name, stack, template }) => {
  const widgets = widgetsOf(template)
  const metrics = widgets.flatMap(({ properties }) => properties.metrics ?? [])

  it('has what came in, what waits, what failed and what it costs', () => {
    const titles = widgets.flatMap(({ properties }) => properties.markdown ?? [])
    expect(titles.map(title => title.replace(/:.*/, ''))).toEqual([
      '## What came in',
      '## What waits, and for how long',
      '## What failed',
      '## What it costs',
    ])
    for (const { type, properties } of widgets)
      if (type === 'metric') expect(properties.metrics?.length).toBeGreaterThan(0)
  })

  it('shows errors and refusals of every function, and the length of every queue', () => {
    const shown = metrics.map(([, metric, , of]) => `${metric} ${of}`)
    for (const [id] of resourcesOf(template, 'AWS::Lambda::Function'))
      expect(shown).toEqual(expect.arrayContaining([`Errors ${id}`, `Throttles ${id}`, `Duration ${id}`]))
    for (const [id] of resourcesOf(template, 'AWS::SQS::Queue'))
      expect(shown).toContain(`ApproximateNumberOfMessagesVisible ${id}`)
  })

  it('asks for metrics that functions of the stack write', () => {
    const own = metrics.flatMap(([namespace, metric]) => (namespace === stack.stackName ? [metric] : []))
    const searched = [
      ...JSON.stringify(metrics).matchAll(/SEARCH\('\{\\+"([\w-]+)\\+",[^}]*\} MetricName=\\+"(\w+)/g),
    ]
    expect(searched.map(([, namespace]) => namespace)).toEqual(searched.map(() => stack.stackName))
    const names = [...own, ...searched.map(([, , metric]) => metric)]
    expect(Object.keys(metricUnits)).toEqual(expect.arrayContaining(names))
    expect(names).toEqual(
      expect.arrayContaining(name === 'functions' ? ['FilesLanded'] : ['OpenJobs', 'JobFailed']),
    )
  })
})

it('the dollars of a function are its seconds, its memory and its invocations at the price of AWS', () => {
  const metrics = widgetsOf(synthesiseStack()).flatMap(({ properties }) => properties.metrics ?? [])
  const isCost = (given: unknown): given is { label: string; expression: string } =>
    typeof given === 'object' && given !== null && 'expression' in given && 'label' in given
  const expressionOf = (label: string) =>
    metrics.flat().find(each => isCost(each) && each.label === label) as { expression: string } | undefined
  /** Metric math as CloudWatch reads it, for what was used by id. */
  const priced = (label: string, used: Record<string, number>) => {
    const [, terms = '', per = ''] = /^\((.*)\) \/ (\d+)$/.exec(expressionOf(label)?.expression ?? '') ?? []
    const amounts = terms.split(' + ').map(term => {
      const [, id = '', price = ''] = /^FILL\((\w+), 0\) \* (\d+)$/.exec(term) ?? []
      return (used[id] ?? 0) * Number(price)
    })
    return amounts.reduce((sum, amount) => sum + amount, 0) / Number(per)
  }
  const runJob = metrics.filter(
    ([, name, , of]) => String(of).startsWith('StorageRunJob') && name === 'Duration',
  )
  const { id = '' } =
    runJob.map(metric => metric.at(-1) as { id?: string }).find(({ id }) => id?.startsWith('functions')) ?? {}
  const hour = 3_600_000
  expect(priced('functions', { [id]: hour })).toBeCloseTo(
    (3600 * 3008 * prices.gigabyteSecond.x86_64) / 1024,
    6,
  )
  expect(priced('DynamoDB', { dynamodb0: 1e6, dynamodb1: 1e6 })).toBeCloseTo(0.125 + 0.625)
  expect(priced('API Gateway', { apigateway0: 1e6 })).toBeCloseTo(1)
})

describe('alarms', () => {
  const { template } = deployedShape('all')

  it('watch the errors of every function', () => {
    const watched = JSON.stringify(
      resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(([, { Properties }]) =>
        /"Errors"/.test(JSON.stringify(Properties)),
      ),
    )
    for (const [id] of resourcesOf(template, 'AWS::Lambda::Function')) expect(watched).toContain(`"${id}"`)
  })

  it('watch the age of the job queue, refusals of functions and of every table', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Millrace',
      MetricName: 'OldestWaitingSeconds',
      Dimensions: [{ Name: 'service', Value: 'jobs' }],
      Threshold: 3600,
    })
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
    })
    for (const [id] of resourcesOf(template, 'AWS::DynamoDB::Table'))
      expect(JSON.stringify(resourcesOf(template, 'AWS::CloudWatch::Alarm'))).toMatch(
        new RegExp(`"TableName","Value":\\{"Ref":"${id}"\\}\\}\\],"MetricName":"WriteThrottleEvents"`),
      )
  })

  it('do not wait for jobs where there is no storage service', () => {
    expect(JSON.stringify(deployedShape('functions').template.toJSON())).not.toContain('OldestWaitingSeconds')
  })

  it.each(deployedShapes)('all notify the topic in the shape $name', ({ template }) => {
    for (const [, { Properties }] of resourcesOf(template, 'AWS::CloudWatch::Alarm'))
      expect(Properties['AlarmActions']).toEqual([{ Ref: expect.stringMatching(/^Alarms/) }])
  })
})

describe.each(deployedShapes)('logs of the shape $name', ({ template }) => {
  it('that AWS writes itself have a prefix that lengthens no policy of the account', () => {
    const groupsOf = (type: string, field: string) =>
      resourcesOf(template, type).map(([, { Properties }]) => JSON.stringify(Properties[field]))
    const written = [
      ...groupsOf('AWS::StepFunctions::StateMachine', 'LoggingConfiguration'),
      ...groupsOf('AWS::ApiGatewayV2::Stage', 'AccessLogSettings'),
    ]
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup').filter(([id]) =>
      written.some(settings => settings.includes(`"${id}"`)),
    )
    expect(groups).toHaveLength(written.length)
    for (const [, { Properties }] of groups)
      expect(JSON.stringify(Properties['LogGroupName'])).toContain('/aws/vendedlogs/')
  })
})
