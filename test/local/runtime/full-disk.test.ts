import { afterAll, expect, it } from 'vitest'
import { OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { ExecutionStore } from '#local/machines/execution-store.ts'
import { Executions } from '#local/machines/executions.ts'
import { invocationError } from '#local/runtime/lambda/function-error.ts'
import { untilThereIsRoom } from '#local/runtime/until-there-is-room.ts'
import { eventually } from '../../support/eventually.ts'
import { fillableDisk } from '../../support/fillable-disk.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const machine = {
  arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
  name: 'm',
  poll: async () => null,
  partsAtOnce: 1,
  isLong: false,
  longestSeconds: 60,
}

it('an execution that cannot be recorded is not started, and its end is recorded when there is room', async () => {
  const { disk, state } = fillableDisk()
  const files = new DurableFiles({ disk })
  const lines: string[] = []
  const step = async () => {
    state.isFull = true
    return { next: 'done', output: 'done' }
  }
  const executions = new Executions({
    store: await ExecutionStore.open(`${folder.path}/executions`, { files }),
    machines: [{ ...machine, step }],
    log: line => lines.push(line),
    pauseMs: 1,
  })
  state.isFull = true
  await expect(executions.start(machine.arn, '{}', 'first')).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(executions.list(machine.arn)).toEqual([])

  state.isFull = false
  const { executionArn } = await executions.start(machine.arn, '{}', 'first')
  await eventually(() => expect(lines).toEqual([expect.stringContaining('trying until there is room')]))
  expect(executions.describe(executionArn).status).toBe('RUNNING')
  state.isFull = false
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '"done"' })
})

it('a call waits until there is room, and uses up none of its machine’s retries', async () => {
  const lines: unknown[] = []
  let attempts = 0
  const call = async () => {
    attempts += 1
    if (attempts < 4) throw invocationError('TransientError', OUT_OF_SPACE)
    return 'done'
  }
  const options = { onWait: (error: unknown) => lines.push(error), pauseMs: 1 }
  expect(await untilThereIsRoom(call, options)).toBe('done')
  expect([attempts, lines.length]).toEqual([4, 1])
  const failing = () => Promise.reject(invocationError('UserError', 'no'))
  await expect(untilThereIsRoom(failing, options)).rejects.toMatchObject({ name: 'UserError' })
})
