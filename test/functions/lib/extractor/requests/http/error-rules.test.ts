import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#support/thorough.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { type Answer, startApi } from '../../api-server.ts'
import { extractFrom, runExtraction } from '../../run-extraction.ts'

const rules = (...errorRules: object[]) => ({ http: { errorRules } })

const answers =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.statusCode = status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

describe('an error rule', () => {
  it('refuses a page that says 200 and means an error', async () => {
    const { error, tables } = await runExtraction(answers(200, { ok: false, reason: 'no such shop' }), {
      api: rules({ when: { status: 200, body: { path: 'ok', equals: false } }, do: 'fail', message: 'Shop' }),
    })
    expect(error).toMatchObject({ code: 'extractor.response.rule' })
    expect(error?.message).toMatch(/^Shop: The API request failed: \[200\] .*no such shop/s)
    expect(tables).toEqual({})
  })

  it('that asks for retries gives up as often as the retry settings say, also for a status that is no error', async () => {
    const { error, requests } = await runExtraction(answers(202, { state: 'later' }), {
      api: {
        ...rules({ when: { status: 202 }, do: 'retry', wait: 0.01 }),
        retryConfig: { maxRetries: 3 },
      },
    })
    expect(requests).toHaveLength(4)
    expect(error).toMatchObject({ code: 'extractor.response.rule' })
    expect(error?.message).toContain('as often as "retryConfig" allows')
  })

  it.each([
    [{ authentication: { type: 'basic' } }, 'jobs.0.errorRules'],
    [
      { children: [{ endpoint: 'c', errorRules: [{ when: { status: 400 }, do: 'login' }] }] },
      'children.0.errorRules',
    ],
  ])('of a job can log in only where that is possible', async (job, place) => {
    const rule = { when: { status: 400 }, do: 'login' }
    const config = {
      jobs: [{ endpoint: 'items', ...('children' in job ? {} : { errorRules: [rule] }), ...job }],
    }
    const { error } = await runExtraction(() => [], { config })
    expect(error?.message).toContain(`needs an authentication that logs in at parameters.config.jobs`)
    expect(error?.message).toContain(place)
  })

  it('replaces the usual handling of its status', async () => {
    const { error, requests } = await runExtraction(answers(503, 'closed for good'), {
      api: rules({ when: { status: '5xx', body: { contains: 'for good' } }, do: 'fail' }),
    })
    expect(requests).toHaveLength(1)
    expect(error?.message).toContain('closed for good')
  })

  it('without a status looks at errors only', async () => {
    const { tables } = await runExtraction(answers(200, [{ id: 1, note: 'quota' }]), {
      api: rules({ when: { body: { contains: 'quota' } }, do: 'fail' }),
    })
    expect(tables).toEqual({ items: '"id","note"\n"1","quota"\n' })
  })

  it('that looks for a value does not hold for a body that is no JSON', async () => {
    const { error } = await runExtraction(answers(400, '<html>'), {
      api: rules({ when: { body: { path: 'a', equals: 'b' } }, do: 'ignore' }),
    })
    expect(error).toMatchObject({ code: 'extractor.response.status' })
  })

  it.each([
    [{ when: { status: 401 }, do: 'login' }, '"do": "login" needs an authentication that logs in'],
    [{ when: { status: 401 }, do: 'fail', wait: 1 }, '"wait" belongs to "do": "retry"'],
    [{ when: {}, do: 'fail' }, 'must name a status, header or body'],
    [{ when: { status: 99 }, do: 'fail' }, 'must be a status such as 404'],
    [{ when: { body: { path: 'a', equals: 1, exists: true } }, do: 'fail' }, 'give exactly one of'],
    [{ when: { status: 404 }, do: 'skip' }, 'errorRules'],
  ])('%j is refused', async (rule, message) => {
    const { error, requests } = await runExtraction(() => [], { api: rules(rule) })
    expect(error).toMatchObject({ code: 'extractor.config.invalid' })
    expect(error?.message).toContain(message)
    expect(requests).toEqual([])
  })
})

describe('a job that a rule stops', () => {
  const settings = (concurrency: number) => ({
    api: rules({ when: { status: 402 }, do: 'stop' }, { when: { status: 404 }, do: 'ignore' }),
    config: {
      jobs: [
        {
          endpoint: 'parents',
          children: [{ endpoint: 'child/{id}', dataType: 'child', placeholders: { id: 'id' } }],
        },
        { endpoint: 'others' },
      ],
    },
    options: { concurrency },
  })

  it('has the same rows however many requests are under way, and other jobs go on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(200, 404, 402), { minLength: 1, maxLength: 12 }),
        async statuses => {
          const api = await startApi((request, response) => {
            if (request.path === '/parents') return statuses.map((_, id) => ({ id }))
            if (request.path === '/others') return [{ ok: 1 }]
            const id = Number(request.path.split('/').at(-1))
            response.statusCode = statuses[id] ?? 500
            return [{ no: id }]
          })
          try {
            const one = await extractFrom(api.origin, settings(1))
            const many = await extractFrom(api.origin, settings(8))
            expect(one.error).toBeUndefined()
            expect(many.tables).toEqual(one.tables)
            const end = statuses.indexOf(402)
            const read = statuses.slice(0, end < 0 ? undefined : end).filter(status => status === 200)
            expect(one.tables['child']?.trimEnd().split('\n').length ?? 1).toBe(read.length + 1)
            expect(one.tables['others']).toBe('"ok"\n"1"\n')
          } finally {
            await api.close()
          }
        },
      ),
      { numRuns: runs(15) },
    )
  })

  it('stays stopped in the legs that follow', async () => {
    const stop = new AbortController()
    const api = await untilEnd(
      startApi((request, response) => {
        if (request.path === '/parents') return [{ id: 0 }, { id: 1 }, { id: 2 }]
        if (request.path === '/others') return [{ ok: 1 }]
        stop.abort()
        response.statusCode = 402
        return []
      }),
    )
    const settingsOfLeg = settings(1)
    const spoolDir = folderUntilEnd()
    const first = await extractFrom(api.origin, {
      ...settingsOfLeg,
      options: { concurrency: 1, spoolDir, signal: stop.signal },
    })
    expect(first.result?.finished).toBe(false)
    const checkpoint = first.result?.finished === false ? first.result.checkpoint : undefined
    const second = await extractFrom(api.origin, {
      ...settingsOfLeg,
      options: { concurrency: 1, spoolDir, checkpoint },
    })
    expect(second.error).toBeUndefined()
    expect(second.tables['others']).toBe('"ok"\n"1"\n')
    expect(api.requests.filter(({ path }) => path.startsWith('/child'))).toHaveLength(1)
  })
})
