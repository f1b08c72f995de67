import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { KeptWindows } from '#lib/extractor/run/extract.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { runExtraction, type Settings } from '../../run-extraction.ts'

const job = (more: object = {}): Settings => ({
  config: { jobs: [{ endpoint: 'items', drift: { rule: 'warn', minRows: 4 }, ...more }] },
})

/** Runs one after the other with the state of the one before; what each said of drift. */
const runs = async (pages: object[][], settings: Settings) => {
  let state: unknown = {}
  const said: {
    changes: unknown[]
    warnings: string[]
    error: string | undefined
    reason: string | undefined
  }[] = []
  for (const items of pages) {
    const { result, error } = await runExtraction(() => items, { ...settings, options: { state } })
    const finished = result?.finished === true ? result : undefined
    if (finished !== undefined) state = JSON.parse(JSON.stringify(finished.state))
    said.push({
      changes: (finished?.drift?.changes ?? []).map(({ column, change, before, after }) =>
        [column ?? '', change, before ?? '', after ?? ''].join(' '),
      ),
      warnings: finished?.warnings ?? [],
      error: (error as { code?: string } | undefined)?.code,
      reason: error?.message,
    })
  }
  return said
}

const rows = (...values: (object | undefined)[]) => values.map((value, id) => ({ id, ...value }))

describe('drift', () => {
  it.each<[string, object[], object[], string[]]>([
    ['the same', rows({ a: 'x' }), rows({ a: 'y' }), []],
    ['a new field', rows({}), rows({ b: 1 }), ['b new  integer']],
    ['a field that is gone', rows({ a: 1 }), rows({}), ['a vanished integer empty']],
    ['a field that has no values', rows({ a: 1 }), rows({ a: null }), ['a vanished integer empty']],
    ['a wider type', rows({ a: 1 }), rows({ a: 1.5 }), ['a type integer number']],
    ['a narrower type', rows({ a: 1.5 }), rows({ a: 1 }), []],
    ['a text', rows({ a: '2026-01-01' }), rows({ a: 'soon' }), ['a type date text']],
    ['a time', rows({ a: '2026-01-01' }), rows({ a: '2026-01-01T00:00:00Z' }), ['a type date timestamp']],
    ['a first value', rows({ a: null }), rows({ a: 1 }), []],
    [
      'more empty cells',
      rows({ a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }),
      rows({ a: 1 }, { a: 1 }, { a: 1 }, {}),
      ['a empties 0 % empty 25 % empty'],
    ],
    ['more empty cells of few rows', rows({ a: 1 }, { a: 1 }), rows({ a: 1 }, {}), []],
    ['no rows', rows({ a: 1 }), [], [' noRows 1 row none']],
  ])('%s', async (_, before, after, changes) => {
    const [first, second] = await runs([before, after], job())
    expect(first).toMatchObject({ changes: [], warnings: [] })
    expect(second?.changes).toEqual(changes)
    expect(second?.warnings).toHaveLength(changes.length)
  })

  it('is said once: the next run is compared with the one before it', async () => {
    const said = await runs([rows({}), rows({ b: 1 }), rows({ b: 1 })], job())
    expect(said.map(({ changes }) => changes.length)).toEqual([0, 1, 0])
  })

  it('keeps the widest type, so that a few rows do not bring it back each time', async () => {
    const said = await runs([rows({ a: 1.5 }), rows({ a: 1 }), rows({ a: 2.5 })], job())
    expect(said.flatMap(({ changes }) => changes)).toEqual([])
  })

  it('of a table that gets only what changed takes no rows for none', async () => {
    const incremental = { idKey: 'id', param: 'since', type: 'number' }
    const settings = job({ incremental, primaryKey: 'id' })
    const said = await runs([rows({ a: 1 }, { a: 2 }), [], rows({ a: null })], settings)
    expect(said.flatMap(({ changes }) => changes)).toEqual([])
  })

  it('with "note" warns of nothing', async () => {
    const [, second] = await runs([rows({}), rows({ b: 1 })], job({ drift: 'note' }))
    expect(second).toMatchObject({ changes: ['b new  integer'], warnings: [], error: undefined })
  })

  it('with "fail" leaves no table, and compares the next run with the same one', async () => {
    const settings = job({ drift: 'fail' })
    const said = await runs([rows({}), rows({ b: 1 }), rows({ b: 1 }), rows({})], settings)
    expect(said.map(({ error }) => error)).toEqual([
      undefined,
      'extractor.drift',
      'extractor.drift',
      undefined,
    ])
    const outDir = folderUntilEnd()
    const state = {
      millrace: {
        profiles: [
          { table: 'items', type: 'items', rows: 1, isWhole: true, columns: [['id', 'integer', 0]] },
        ],
      },
    }
    const { error } = await runExtraction(() => rows({ b: 1 }), { ...settings, options: { state, outDir } })
    expect(error?.message).toContain("table 'items' has a new column 'b' (integer)")
    expect(readdirSync(outDir)).toEqual([])
  })

  it('with "fail" keeps no windows, of a run that fails by it or by something else after it', async () => {
    const now = () => Date.parse('2026-01-09T00:00:00Z') / 1000
    const windows = { cursor: 'at', param: 'since', until: 'before', start: '2026-01-01', step: 'P7D' }
    const jobs = [{ id: 'w', endpoint: 'items', primaryKey: 'id', incremental: windows, drift: 'fail' }]
    const stored = (...columns: [string, string, number][]) => ({
      millrace: { profiles: [{ table: 'items', type: 'items', rows: 1, isWhole: true, columns }] },
    })
    const keptBy = async (state: object, isBroken: boolean) => {
      const kept: string[][] = []
      const keepWindows = async ({ tables }: KeptWindows) => void kept.push(tables.map(({ name }) => name))
      let requests = 0
      const { error, logs } = await runExtraction(
        (_, response) => {
          if (++requests > 1 && isBroken) response.statusCode = 422
          return [{ id: 1, at: '2026-01-02T00:00:00Z' }]
        },
        { config: { jobs }, options: { state, now, keepWindows } },
      )
      return {
        kept,
        code: (error as { code?: string } | undefined)?.code,
        said: logs.map(log => log.message),
      }
    }
    const [same, other] = [stored(['id', 'integer', 0], ['at', 'timestamp', 0]), stored(['id', 'integer', 0])]
    expect(await keptBy(same, true)).toMatchObject({ kept: [['items']], code: 'extractor.response.status' })
    expect(await keptBy(other, false)).toMatchObject({ kept: [], code: 'extractor.drift' })
    const both = await keptBy(other, true)
    expect(both).toMatchObject({ kept: [], code: 'extractor.response.status' })
    expect(both.said).toContainEqual(
      expect.stringMatching(/Nothing is kept of the windows that were read: .*new column 'at'/),
    )
  })

  it.each([null, 'x', [{ table: 'items' }], [{ table: 'items', type: 'items', rows: 1, columns: [] }]])(
    'takes a state that cannot be read (%j) for none',
    async profiles => {
      const { result } = await runExtraction(() => rows({ a: 1 }), {
        ...job({ drift: 'fail' }),
        options: { state: { millrace: { profiles } } },
      })
      expect(result).toMatchObject({ finished: true, drift: { compared: 0, changes: [] } })
    },
  )

  it('with "hold" fails where nobody can approve, and says so; else it gives tables and state', async () => {
    const settings = job({ drift: 'hold' })
    const [, second] = await runs([rows({}), rows({ b: 1 })], settings)
    expect(second?.error).toBe('extractor.drift')
    const first = await runExtraction(() => rows({}), settings)
    const state = first.result?.finished === true ? first.result.state : undefined
    const changed = (options: object) =>
      runExtraction(() => rows({ b: 1 }), { ...settings, options: { state, ...options } })
    const failed = await changed({})
    expect(failed.error?.message).toContain('Nobody can approve them here, so "hold" fails the run.')
    expect(failed.tables).toEqual({})
    const { result, tables } = await changed({ mayHold: true })
    expect(result).toMatchObject({
      drift: { changes: [{ rule: 'hold' }] },
      warnings: [expect.stringContaining("new column 'b'")],
    })
    expect(tables).toHaveProperty('items')
    const both = await runExtraction(() => rows({ b: 1 }), {
      config: {
        jobs: [
          { endpoint: 'items', drift: 'fail' },
          { endpoint: 'items', drift: 'hold' },
        ],
      },
      options: { state, mayHold: true },
    })
    expect((both.error as { code?: string }).code).toBe('extractor.drift')
  })

  it('shows no secret that an API puts into names, in report, warnings, errors or the state', async () => {
    const secret = 'the-key-of-the-shop'
    const of = (rule: string, items: object[][]) => {
      const settings = job({ drift: { rule, minRows: 1 }, dataType: `of-${secret}` })
      return runs(items, { config: { ...settings.config, '#key': secret } })
    }
    const renamed = (name: string) => rows({ [`${name}-${secret}`]: 1 })
    for (const rule of ['warn', 'fail']) {
      const said = await of(rule, [renamed('a'), renamed('b')])
      expect(JSON.stringify(said)).toContain('***')
      expect(JSON.stringify(said)).not.toContain(secret)
    }
    const settings = job({ drift: { rule: 'warn' } })
    const { result } = await runExtraction(() => renamed('a'), {
      config: { ...settings.config, '#key': secret },
    })
    const { profiles } = (result as unknown as { state: { millrace: { profiles: unknown } } }).state.millrace
    expect(JSON.stringify(profiles)).toContain('a-***')
    expect(JSON.stringify(profiles)).not.toContain(secret)
  })

  it('is not looked at unless it is asked for, nor in a preview', async () => {
    const without = await runExtraction(() => rows({}), job({ drift: undefined }))
    expect(without.result).not.toHaveProperty('drift')
    expect(without.result?.finished === true && without.result.state).not.toHaveProperty('millrace')
    const preview = await runExtraction(() => rows({}), { ...job(), options: { maxRows: 1 } })
    expect(preview.result).not.toHaveProperty('drift')
  })

  it('says what it leaves out of a very wide table', async () => {
    const wide = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`c${n}`, n]))
    const [first] = await runs([[wide]], job())
    expect(first?.warnings).toEqual([
      "Not compared with the last run: of table 'items' the first 500 columns were looked at.",
    ])
  })

  it.each(['none', { rule: 'stop' }, { rule: 'warn', emptyShare: 2 }, { emptyShare: 0.1 }])(
    'refuses %j',
    async drift => {
      const { error } = await runExtraction(() => [], job({ drift }))
      expect((error as { code?: string } | undefined)?.code).toBe('extractor.config.invalid')
    },
  )
})
