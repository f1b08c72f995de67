import { expect, it } from 'vitest'
import { tickEvent } from '#functions/tick/event.ts'
import type { MachineName } from '#infra/system.ts'
import type { EndedExecution, RunningExecution } from '#local/machines/execution-store.ts'
import { tellingEnds } from '#local/runtime/ends.ts'
import { machineArn } from '#local/runtime/names.ts'

const begun = (machine: MachineName): RunningExecution => ({
  executionArn: `arn:aws:states:us-east-1:000000000000:execution:Millrace-${machine}:e`,
  stateMachineArn: machineArn(machine),
  name: 'e',
  input: '{"asked":"for"}',
  startDate: '2026-11-28T00:00:00.000Z',
  status: 'RUNNING',
})
const ended = (machine: MachineName, end: Partial<EndedExecution>): EndedExecution =>
  ({ ...begun(machine), stopDate: '2026-11-28T00:00:01.000Z', ...end }) as EndedExecution // By its status.

const listen = () => {
  const told: unknown[] = []
  const tellEnd = tellingEnds(async (name, event) => {
    expect(name).toBe('tick')
    told.push(tickEvent.parse(event))
  })
  return { told, tellEnd }
}

it.each([
  ['import', { status: 'SUCCEEDED', output: '{}' }, false],
  ['import', { status: 'SUCCEEDED', output: '{"jobId":1,"mends":{}}' }, true],
  ['export', { status: 'SUCCEEDED', output: '{}' }, true],
  ['jobs', { status: 'SUCCEEDED', output: '{"mends":{}}' }, false],
  ['import', { status: 'FAILED', error: 'c', cause: 'm' }, true],
  ['jobs', { status: 'TIMED_OUT', error: 'States.Timeout' }, true],
  ['export', { status: 'ABORTED' }, true],
  ['extract', { status: 'SUCCEEDED', output: '{}' }, true],
] as const)(
  'of an execution of %s that has ended so, tick hears when it matters: %j',
  async (machine, end, isHeard) => {
    const { told, tellEnd } = listen()
    const execution = ended(machine, end)
    expect(tellEnd.isHeard(execution)).toBe(isHeard)
    await tellEnd.tell(execution)
    expect(told).toMatchObject([{ detail: { name: 'e', status: end.status, input: '{"asked":"for"}' } }])
  },
)
