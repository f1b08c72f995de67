import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extract } from '#lib/extractor/run/extract.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { type ApiRequest, startApi } from '../api-server.ts'
import { configuration, rowCount, runExtraction } from '../run-extraction.ts'

/** Ten pages of ten rows, each with two children. */
const answer = ({ path, query }: ApiRequest) => {
  if (path !== '/items') return [{ of: path }]
  const offset = Number(query.get('offset'))
  return offset >= 100
    ? []
    : Array.from({ length: 10 }, (_, index) => ({ id: offset + index, at: offset + index }))
}

const api = { pagination: { method: 'offset', limit: 10 } }
const incremental = { idKey: 'at', param: 'since', type: 'number' }
const jobs = [
  {
    endpoint: 'items',
    primaryKey: 'id',
    incremental,
    children: [{ endpoint: 'c/{id}', primaryKey: 'of', placeholders: { id: 'id' } }],
  },
]

describe('limits of a run', () => {
  it.each([
    ['one request', { requests: 1 }, /limit of 1 request \(.* It had sent 1 request and read/],
    ['requests', { requests: 5 }, /limit of 5 requests .* It had sent 5 requests/],
    ['bytes', { bytes: 500 }, /limit of 500 bytes/],
    ['rows', { rows: 25 }, /limit of 25 rows/],
    ['minutes', { minutes: 0.5 }, /limit of 0.5 minutes/],
  ])('in %s end it with an error', async (_, limits, message) => {
    let clock = 1_700_000_000
    const now = () => (clock += 4)
    const { error, result } = await runExtraction(answer, {
      api: { ...api, limits },
      config: { jobs },
      options: { now },
    })
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ code: 'extractor.job.limit', message: expect.stringMatching(message) })
  })

  it('let a run end that needs no more than they allow', async () => {
    const { result, requests } = await runExtraction(answer, {
      api: { ...api, limits: { requests: 11, rows: 101 } },
    })
    expect(requests).toHaveLength(11)
    expect(result).toMatchObject({ finished: true, warnings: [] })
  })

  it('with "stop" end it with what has come, a warning, and a state that asks for the rest again', async () => {
    const state = { time: { previousStart: 5 }, millrace: { highWaterMarks: { other: 7 } } }
    const { result, requests, tables, logs } = await runExtraction(answer, {
      api: { ...api, limits: { requests: 7, do: 'stop' } },
      config: { jobs },
      options: { state },
    })
    expect(requests).toHaveLength(7)
    const asked = requests.filter(({ path }) => path === '/items').length
    expect(rowCount(tables['items'])).toBe(10 * asked)
    expect(rowCount(tables['c_id'])).toBe(7 - asked)
    expect(result).toMatchObject({
      finished: true,
      state,
      warnings: [expect.stringContaining('ended at its limit of 7 requests')],
    })
    expect(result?.summary.jobs[0]?.ended).toEqual({ 'the run reached its limit': expect.any(Number) })
    expect(logs.filter(({ message }) => message.includes('ended at its limit'))).toHaveLength(1)
  })

  it('end later iterations at once', async () => {
    const { requests, result } = await runExtraction(answer, {
      api: { limits: { requests: 1, do: 'stop' } },
      parameters: { iterations: [{ a: 1 }, { a: 2 }, { a: 3 }] },
    })
    expect([requests.length, result?.finished]).toEqual([1, true])
  })

  it('count all legs together', async () => {
    const server = await untilEnd(startApi(answer))
    const folder = folderUntilEnd()
    const config = configuration(server.origin, { api: { ...api, limits: { requests: 6 } } })
    const options = { config, outDir: join(folder, 'out'), spoolDir: join(folder, 'spool') }
    let checkpoint: unknown
    const leg = async () => {
      const stop = new AbortController()
      const onProgress = () => stop.abort()
      const at = checkpoint === undefined ? {} : { checkpoint }
      return extract({ ...options, ...at, signal: stop.signal, onProgress, concurrency: 1 })
    }
    const legs = async () => {
      for (;;) {
        const result = await leg()
        if (result.finished) return
        checkpoint = result.checkpoint
      }
    }
    await expect(legs()).rejects.toMatchObject({ code: 'extractor.job.limit' })
    expect(server.requests).toHaveLength(6)
  })
})
