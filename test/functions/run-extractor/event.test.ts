import { expect, it } from 'vitest'
import begin from '#events/run-extractor/begin.json' with { type: 'json' }
import failed from '#events/run-extractor/failed.json' with { type: 'json' }
import scheduled from '#events/run-extractor/scheduled.json' with { type: 'json' }
import { type RunExtractorEvent, toRunEvent } from '#functions/run-extractor/event.ts'
import { stepEvent } from '#lib/drive/step.ts'

/** What the step is asked to do. */
const asked = async (event: unknown): Promise<RunExtractorEvent> => toRunEvent(stepEvent.parse(event))

it('reads what the machine sends, with a wait for the lease unless it says otherwise', async () => {
  expect(await asked(begin)).toMatchObject({
    step: 'begin',
    input: { componentId: 'ex-generic-v2', configId: 'shop', overlap: 'wait' },
  })
  expect(await asked(scheduled)).toMatchObject({
    step: 'leg',
    input: { overlap: 'skip', trigger: 'schedule nightly' },
  })
  expect(await asked(failed)).toMatchObject({ step: 'fail', failure: { Error: 'Sandbox.Timedout' } })
})

it('a number stands for a configuration id', async () => {
  const event = { ...begin, input: { componentId: 'a', configId: 7 } }
  expect((await asked(event)).input.configId).toBe('7')
})

it.each(['execution', 'since', 'input'])('refuses an event without %s', async field => {
  const { [field]: _, ...rest }: Record<string, unknown> = begin
  await expect(asked(rest)).rejects.toThrow()
})

it.each(['..', '', '../../x', 'a/b', 'a\\b', 'x'.repeat(101)])(
  'refuses an execution named %j',
  async name => {
    const event = { ...begin, execution: `arn:aws:states:us-east-1:1:execution:extract:${name}` }
    await expect(asked(event)).rejects.toMatchObject({ code: 'event.invalid' })
  },
)

it.each(['..', '', 'a/b', 'a b'])('refuses the configuration id "%s"', async configId => {
  const event = { ...begin, input: { componentId: 'a', configId } }
  await expect(asked(event)).rejects.toMatchObject({ code: 'event.invalid' })
})

it('a run that cannot be ended is not asked to end again', async () => {
  const event = { ...failed, state: { step: 'end' } }
  await expect(asked(event)).rejects.toThrow('could not be ended')
})
