import { expect, it } from 'vitest'
import begin from '#events/run-extractor/begin.json' with { type: 'json' }
import failed from '#events/run-extractor/failed.json' with { type: 'json' }
import scheduled from '#events/run-extractor/scheduled.json' with { type: 'json' }
import { runExtractorEvent } from '#functions/run-extractor/event.ts'

it('reads what the machine sends, with a wait for the lease unless it says otherwise', () => {
  expect(runExtractorEvent.parse(begin)).toMatchObject({
    step: 'begin',
    input: { componentId: 'ex-generic-v2', configId: 'shop', overlap: 'wait' },
  })
  expect(runExtractorEvent.parse(scheduled)).toMatchObject({
    input: { overlap: 'skip', trigger: 'schedule nightly' },
  })
  expect(runExtractorEvent.parse(failed)).toMatchObject({
    step: 'fail',
    failure: { Error: 'Sandbox.Timedout' },
  })
})

it('a number stands for a configuration id', () => {
  const event = { ...begin, input: { componentId: 'a', configId: 7 } }
  expect(runExtractorEvent.parse(event).input.configId).toBe('7')
})

it.each(['step', 'execution', 'startedAt', 'input'])('refuses an event without %s', field => {
  const { [field]: _, ...rest }: Record<string, unknown> = begin
  expect(runExtractorEvent.safeParse(rest).success).toBe(false)
})

it.each(['..', '', '../../x', 'a/b', 'a\\b', 'x'.repeat(101)])('refuses an execution named %j', name => {
  const event = { ...begin, execution: `arn:aws:states:us-east-1:1:execution:extract:${name}` }
  expect(runExtractorEvent.safeParse(event).success).toBe(false)
})

it.each(['..', '', 'a/b', 'a b'])('refuses the configuration id "%s"', configId => {
  const event = { ...begin, input: { componentId: 'a', configId } }
  expect(runExtractorEvent.safeParse(event).success).toBe(false)
})
