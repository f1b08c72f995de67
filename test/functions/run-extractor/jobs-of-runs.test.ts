import { expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import type { RunState } from '#lib/wire/run-body.ts'
import { newExecution, startExtraction } from '#support/extraction.ts'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../lib/extractor/api-server.ts'

const extraction = await untilEnd(startExtraction())
const api = await untilEnd(startApi(() => [{ id: 1 }]))
const config = { outputBucket: 'shop', jobs: [{ endpoint: 'items' }] }
await extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
  configurationId: 'shop',
  name: 'shop',
  configuration: { parameters: { api: { baseUrl: `${api.origin}/` }, config } },
})
const input = { componentId: 'ex-generic-v2', configId: 'shop', overlap: 'wait' as const }

/** What runs tell of their job, and what they are answered. */
const telling = (answer: (state: RunState) => void = () => {}) => {
  const told: RunState[] = []
  const noteState = async (_: string, state: RunState) => {
    told.push(state)
    answer(state)
  }
  return { told, settings: { stackStorage: { ...extraction.services().stackStorage, noteState } } }
}
const refusing = (code: 'storage.jobs.ended' | 'storage.runs.underWay') => () => {
  throw new UserError(code, 'It is not to begin.', { status: 409 })
}

it('a run begins its job first, and ends it last with what it did', async () => {
  const { told, settings } = telling()
  const { end } = await extraction.run('shop', { settings })
  expect(told).toEqual([{ status: 'processing' }, { status: 'success', results: end.result }])
  expect(end.result.rowsLoaded).toBe(1)
})

it('a run that never began ends its job with the failure of its execution', async () => {
  const { told, settings } = telling()
  const { failure } = (await extraction.run('none', { settings })).end
  expect(told[1]).toEqual({ status: 'error', code: failure?.Error, message: failure?.Cause })
})

it('a run that dies before it has ended its job ends it when the step is repeated', async () => {
  let deaths = 0
  const { told, settings } = telling(({ status }) => {
    if (status === 'success' && deaths++ === 0) throw new Error('died')
  })
  const execution = newExecution()
  await expect(extraction.run('shop', { execution, settings })).rejects.toThrow('died')
  expect(await extraction.advance('end', execution, input, settings)).toMatchObject({ next: 'end' })
  expect(told.map(({ status }) => status)).toEqual(['processing', 'success', 'success'])
})

it('a run whose job has ended reads nothing, and waits while another one has not ended', async () => {
  const { settings } = telling(refusing('storage.jobs.ended'))
  expect((await extraction.run('shop', { settings })).end.result).toMatchObject({ status: 'skipped' })
  const waiting = telling(refusing('storage.runs.underWay')).settings
  expect(await extraction.advance('begin', newExecution(), input, waiting)).toMatchObject({ next: 'begin' })
})
