import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { runExtraction } from './run-extraction.ts'

const urls = (requests: { url: string }[]): string[] => requests.map(({ url }) => url)

describe('incremental extraction', () => {
  const job = {
    endpoint: 'items',
    primaryKey: ['at'],
    incremental: { idKey: 'at', param: 'since', type: 'date', initial: '2020-01-01' },
  }

  it('goes on from a number with all its digits, when the state was kept as plain JSON', async () => {
    const ofIds = {
      config: { jobs: [{ ...job, primaryKey: 'at', incremental: { idKey: 'at', param: 'since' } }] },
    }
    const answer = (ids: string) => (_: unknown, response: ServerResponse) => response.end(`[{"at":${ids}}]`)
    const first = await runExtraction(answer('9007199254740993'), ofIds)
    const kept = (run: typeof first): object =>
      JSON.parse(JSON.stringify(run.result?.finished && run.result.state))
    const second = await runExtraction(answer('10000000000000000001'), {
      ...ofIds,
      options: { state: kept(first) },
    })
    expect(urls(second.requests)).toEqual(['/items?since=9007199254740993'])
    const third = await runExtraction(answer('5'), { ...ofIds, options: { state: kept(second) } })
    expect(urls(third.requests)).toEqual(['/items?since=10000000000000000001'])
  })

  it('leaves the parameter out without any value', async () => {
    const { requests } = await runExtraction(() => [], {
      config: {
        jobs: [{ endpoint: 'items', primaryKey: 'id', incremental: { idKey: 'id', param: 'since' } }],
      },
    })
    expect(urls(requests)).toEqual(['/items'])
  })
})

describe('failWhenEmpty', () => {
  it('is an error for a job that gave no rows', async () => {
    const { error } = await runExtraction(() => [], {
      config: { jobs: [{ endpoint: 'items', failWhenEmpty: true }] },
    })
    expect(error?.message).toBe('Job \'items\' gave no rows ("failWhenEmpty").')
  })

  it('does not mind a row', async () => {
    const { error } = await runExtraction(() => [{ a: 1 }], {
      config: { jobs: [{ endpoint: 'items', failWhenEmpty: true }] },
    })
    expect(error).toBeUndefined()
  })
})

describe('unsupported', () => {
  it.each([
    [
      'an SSH tunnel',
      { parameters: { sshProxy: { host: 'h' } } },
      'SSH tunnels ("parameters.sshProxy") are not supported.',
    ],
    ['another action', { root: { action: 'test_request' } }, 'The action "test_request" is not supported'],
  ])('%s is refused at the start', async (_, settings, message) => {
    const { error, requests } = await runExtraction(() => [], settings)
    expect(error?.message).toContain(message)
    expect(requests).toEqual([])
  })
})

describe('the state', () => {
  it('keeps unknown keys and holds the start of this run', async () => {
    const { result, requests } = await runExtraction(() => [{ a: 1 }], {
      config: {
        incrementalOutput: true,
        jobs: [
          { endpoint: 'items', params: { since: { time: 'previousStart' }, now: { time: 'currentStart' } } },
        ],
      },
      options: { state: { mine: 1, time: { previousStart: 77 } }, now: () => 1000.5 },
    })
    expect(urls(requests)).toEqual(['/items?since=77&now=1000'])
    expect(result?.finished === true && result.state).toMatchObject({
      mine: 1,
      time: { previousStart: 1000 },
      'json_parser.structVersion': 3,
    })
  })
})
