import { describe, expect, it } from 'vitest'
import { metricUnits } from '#lib/cloud/metric-units.ts'
import { deployedShape, deployedShapes } from './deployed-shapes.ts'
import { resourcesOf } from './resources-of.ts'

describe.each(deployedShapes)('the dashboard of the shape $name', ({ name, stack, template }) => {
  const [dashboard = ''] = resourcesOf(template, 'AWS::CloudWatch::Dashboard').map(([, { Properties }]) =>
    JSON.stringify(Properties['DashboardBody']).replaceAll('\\"', '"'),
  )

  it('shows errors and refusals of every function, and the length of every queue', () => {
    for (const [id] of resourcesOf(template, 'AWS::Lambda::Function'))
      for (const metric of ['Errors', 'Throttles'])
        expect(dashboard).toMatch(new RegExp(`"${metric}","FunctionName","[^\\]]*"${id}"`))
    for (const [id] of resourcesOf(template, 'AWS::SQS::Queue')) expect(dashboard).toContain(`"${id}"`)
  })

  it('asks for metrics that functions of the stack write', () => {
    const own = [...dashboard.matchAll(new RegExp(`\\["${stack.stackName}","(\\w+)"`, 'g'))].map(
      ([, metric]) => metric,
    )
    const searched = [...dashboard.matchAll(/MetricName=\\*"(\w+)/g)].map(([, metric]) => metric)
    const names = [...own, ...searched]
    expect(Object.keys(metricUnits)).toEqual(expect.arrayContaining(names))
    expect(names).toEqual(
      expect.arrayContaining(name === 'functions' ? ['FilesLanded'] : ['OpenJobs', 'JobFailed']),
    )
  })
})

/** Each says something to do (docs/operations.md). Who adds one takes another away. */
const MOST_ALARMS = 8

describe('alarms', () => {
  const { template } = deployedShape('all')
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm')

  it('are few', () => {
    expect(alarms.length).toBeLessThanOrEqual(MOST_ALARMS)
  })

  it('watch the age of the job queue, and every function that a schedule calls', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Millrace',
      MetricName: 'OldestWaitingSeconds',
      Dimensions: [{ Name: 'service', Value: 'jobs' }],
      Threshold: 3600,
    })
    const [[, schedules] = ['', undefined]] = alarms.filter(([id]) => id.startsWith('SchedulesFailing'))
    for (const name of ['TickFunction', 'StorageSweepFunction'])
      expect(JSON.stringify(schedules)).toMatch(
        new RegExp(`"Ref":"${name}\\w+"\\}\\}\\],"MetricName":"Errors"`),
      )
  })

  it('do not wait for jobs where there is no storage service', () => {
    const { template } = deployedShape('functions')
    const texts = JSON.stringify(resourcesOf(template, 'AWS::CloudWatch::Alarm'))
    expect(texts).not.toContain('OldestWaitingSeconds')
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
    expect(groups).toHaveLength(new Set(written).size)
    for (const [, { Properties }] of groups)
      expect(JSON.stringify(Properties['LogGroupName'])).toContain('/aws/vendedlogs/')
  })
})
