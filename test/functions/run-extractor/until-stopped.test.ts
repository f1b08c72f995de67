import { expect, it } from 'vitest'
import { untilStopped } from '#functions/run-extractor/advance-run.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }

it('the work of an execution that somebody has stopped is told to stop', async () => {
  const reason = await untilStopped(
    'run-1',
    { isRunning: async () => false, log },
    stopped => new Promise(resolve => stopped.addEventListener('abort', () => resolve('stopped'))),
  )
  expect(reason).toBe('stopped')
})

it('work goes on when nobody can say whether its execution was stopped', async () => {
  const isRunning = () => Promise.reject(new Error('throttled'))
  expect(await untilStopped('run-1', { isRunning, log }, async stopped => stopped.aborted)).toBe(false)
})
