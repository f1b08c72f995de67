import { describe, expect, it } from 'vitest'
import { Alarms } from '#local/runtime/alarms/alarms.ts'
import { Topics } from '#local/runtime/alarms/topics.ts'
import { Queues } from '#local/runtime/queues/queues.ts'
import { queue } from '#local/runtime/resources/messages.ts'
import { readStack } from '#local/runtime/template/stack.ts'
import { synthesiseStack } from '../../support/synthesise-stack.ts'
import { temporaryFolder } from './temporary-folder.ts'

type Template = { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> }

const endpoints = { control: 'http://127.0.0.1:1', api: 'http://127.0.0.1:2' }
const realTemplate = synthesiseStack().toJSON() as Template // What CloudFormation would be given.

const alarmsOf = (template: object, log: (line: string) => void = () => {}, now?: () => number) => {
  const stack = readStack(template, 'Millrace', endpoints)
  return new Alarms(stack, new Topics(stack, log), now)
}

/** The real stack with another policy on its topic. */
const withTopicPolicy = (change: (statements: unknown[]) => unknown[]): Template => {
  const Resources = Object.fromEntries(
    Object.entries(realTemplate.Resources).map(([id, resource]) => {
      if (resource.Type !== 'AWS::SNS::TopicPolicy') return [id, resource]
      const { PolicyDocument, ...rest } = resource.Properties as { PolicyDocument: { Statement: unknown[] } }
      const document = { ...PolicyDocument, Statement: change(PolicyDocument.Statement) }
      return [id, { ...resource, Properties: { ...rest, PolicyDocument: document } }]
    }),
  )
  return { ...realTemplate, Resources }
}

describe('Alarms', () => {
  it('takes the real stack: CloudWatch may publish each alarm', () => {
    expect(() => alarmsOf(realTemplate)).not.toThrow()
  })

  it.each<[string, (statements: unknown[]) => unknown[]]>([
    ['nobody', statements => statements.filter(statement => JSON.stringify(statement).includes('"Deny"'))],
    [
      'another account',
      statements => JSON.parse(JSON.stringify(statements).replace('{"Ref":"AWS::AccountId"}', '"1"')),
    ],
    [
      'another service',
      statements =>
        JSON.parse(JSON.stringify(statements).replace('cloudwatch.amazonaws.com', 's3.amazonaws.com')),
    ],
  ])('refuses a stack whose topic lets %s publish, and names the alarms', (_case, change) => {
    expect(() => alarmsOf(withTopicPolicy(change))).toThrow(
      /ImportDeadLettersArrived\w* \(AWS::CloudWatch::Alarm\): cloudwatch\.amazonaws\.com may not publish/,
    )
  })

  it('each dead letter sets off its alarm, in the log, those of a quarter of an hour together', async () => {
    const folder = temporaryFolder()
    const lines: string[] = []
    let now = 0
    const alarms = alarmsOf(
      realTemplate,
      line => lines.push(line),
      () => now,
    )
    const stack = readStack(realTemplate, 'Millrace', endpoints)
    const found = stack.ofType(queue).find(({ logicalId }) => logicalId.startsWith('ImportDeadLetters'))
    const { name = '', arn = '', ref: url = '' } = found ?? {}
    try {
      const queues = await Queues.open(folder.path, [
        { name, arn, url, visibilitySeconds: 30, retentionSeconds: 600 },
      ])
      queues.onMessage = queueName => alarms.onMessage(queueName)
      await queues.send(queues.byName(name), { body: 'one' })
      await queues.send(queues.byName(name), { body: 'two' })
      now += 15 * 60_000
      await queues.send(queues.byName(name), { body: 'three, and nobody has looked after the others' })
    } finally {
      await folder.remove()
    }
    const sound = expect.stringMatching(
      /^Millrace-Alarms\w*: alarm Millrace-ImportDeadLettersArrived\w*: A file in the/,
    )
    expect(lines).toEqual([sound, sound])
  })
})
