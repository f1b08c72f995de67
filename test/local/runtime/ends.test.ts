import { expect, it } from 'vitest'
import { keepDeadLetterEvent } from '#functions/keep-dead-letter/event.ts'
import { keepRunEvent } from '#functions/keep-run/event.ts'
import { functionNames, type MachineName, machines } from '#infra/system.ts'
import type { EndedExecution } from '#local/machines/execution-store.ts'
import { createEnds } from '#local/runtime/ends.ts'
import { machineArn } from '#local/runtime/names.ts'

const machineNames = Object.keys(machines) as MachineName[]

const ended = (machine: MachineName, end: Partial<EndedExecution>): EndedExecution =>
  ({
    executionArn: `arn:aws:states:us-east-1:000000000000:execution:Millrace-${machine}:e`,
    stateMachineArn: machineArn(machine),
    name: 'e',
    input: '{"asked":"for"}',
    startDate: '2026-11-28T00:00:00.000Z',
    stopDate: '2026-11-28T00:00:01.000Z',
    ...end,
  }) as EndedExecution // By its status.

const told = async (execution: EndedExecution, details?: unknown, functions = functionNames) => {
  const calls: [string, unknown][] = []
  const ends = createEnds({
    call: async (name, event) => void calls.push([name, event]),
    functions,
  })
  if (ends.tellEnd.isHeard(execution, details)) await ends.tellEnd.tell(execution, details)
  return Object.fromEntries(calls)
}
const keepDeadLetter = 'keep-dead-letter'

it.each(machineNames)(
  'an execution of %s that is stopped or out of time leaves a dead letter',
  async machine => {
    for (const end of [{ status: 'ABORTED' }, { status: 'TIMED_OUT', error: 'States.Timeout' }] as const) {
      const event = (await told(ended(machine, end)))[keepDeadLetter]
      expect(keepDeadLetterEvent.parse(event)).toMatchObject({
        machine,
        letter: {
          input: { asked: 'for' },
          failure: { code: end.status, message: expect.stringMatching(/stopped, ran out of time/) },
          details: { status: end.status },
          redrive: machines[machine].redrive,
        },
      })
    }
  },
)

it('a failure that the machine reports says what its details say', async () => {
  const execution = ended('import', { status: 'FAILED', error: 'c', cause: 'm' })
  expect((await told(execution, { versionId: 'v' }))[keepDeadLetter]).toMatchObject({
    letter: { failure: { code: 'c', message: 'm' }, details: { versionId: 'v' } },
  })
})

it('nobody is told of a success or of what a person has cancelled', async () => {
  expect(await told(ended('import', { status: 'SUCCEEDED', output: '{}' }))).toEqual({})
  expect(await told(ended('jobs', { status: 'ABORTED', error: 'storage.jobs.cancelled' }))).toEqual({})
})

it('a file whose job was cancelled is not in its table, and leaves a letter', async () => {
  const execution = ended('import', { status: 'FAILED', error: 'storage.jobs.cancelled', cause: 'm' })
  expect(await told(execution, {})).toHaveProperty(keepDeadLetter)
})

it('the ends of runs are kept, each', async () => {
  const event = (await told(ended('extract', { status: 'SUCCEEDED', output: '{}' })))['keep-run']
  expect(keepRunEvent.parse(event)).toMatchObject({ detail: { name: 'e', status: 'SUCCEEDED' } })
})

it('beside a hosted service nobody is there to be told', async () => {
  expect(await told(ended('import', { status: 'ABORTED' }), undefined, ['start-import'])).toEqual({})
})
