import { expect, it } from 'vitest'
import { createRedriveExecution } from '#functions/storage-api/services/redrive-execution.ts'
import { schedulesOfStack, startDueRuns } from '#functions/tick/due-schedules.ts'
import { executionOfJob } from '#lib/asked-wait.ts'
import type { FailureRecord } from '#lib/storage/failures/failure-store.ts'
import { closingExecution } from '#lib/storage/jobs/start-next.ts'
import { runOfJob } from '#lib/wire/run-body.ts'

/** Step Functions API Reference, "StartExecution". */
const NAME = /^[\w-]{1,80}$/

it('rule 7, names fit: whatever is started under a name of ours can be started', async () => {
  const id = Number.MAX_SAFE_INTEGER
  const names = [executionOfJob(id), closingExecution(id), runOfJob(id)]
  const note = async (name: string) => void names.push(name)
  const schedules = schedulesOfStack([
    { name: 'ä/'.repeat(100), componentId: 'c', configId: 'd', ...{ expression: 'cron(0 6 * * ? *)' } },
  ])
  await startDueRuns(new Date('2026-11-21T06:00:00Z'), schedules, {
    startRun: note,
    storage: { postEvent: async () => {} },
    log: console,
  })
  const redrive = createRedriveExecution({
    start: async ({ name }) => {
      await note(name)
      return true
    },
  })
  const detail = { bucket: { name: 'landing' }, object: { key: 'k'.repeat(1024), 'version-id': 'v' } }
  const input = { source: 'aws.s3', 'detail-type': 'Object Created', detail }
  const letter: FailureRecord = {
    id,
    machine: 'import',
    source: { machine: 'arn:aws:states:x:1:stateMachine:m', execution: 'e' },
    input,
    failure: { code: 'c', message: 'm' },
    details: {},
    at: '2026-11-21T06:00:00Z',
    subject: { name: 'n', scope: 'whole' },
  }
  for (const version of ['same', 'newest'] as const) await redrive(letter, { version, tokenId: '1' })
  expect(names).toHaveLength(6)
  for (const name of names) expect(name).toMatch(NAME)
})
