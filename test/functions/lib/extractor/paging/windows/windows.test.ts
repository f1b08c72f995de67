import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeToRead, type Window, windowAt } from '#lib/extractor/paging/windows/windows.ts'
import { windowValues } from '#lib/extractor/run/run-window.ts'
import { parseDuration, plus } from '#lib/extractor/values/functions/duration.ts'
import { isoTime, readMoment } from '#lib/extractor/values/functions/moments.ts'

const at = (text: string): number => Date.parse(text)

describe('a duration', () => {
  it.each([
    ['P7D', { months: 0, milliseconds: 7 * 86_400_000 }],
    ['P1W', { months: 0, milliseconds: 7 * 86_400_000 }],
    ['P1Y2M', { months: 14, milliseconds: 0 }],
    ['P1M1DT1H', { months: 1, milliseconds: 90_000_000 }],
    ['PT1H30M', { months: 0, milliseconds: 5_400_000 }],
    ['PT0.001S', { months: 0, milliseconds: 1 }],
  ])('%s is read', (text, duration) => {
    expect(parseDuration(text)).toEqual(duration)
  })

  it.each(['', 'P', 'PT', 'P0D', 'PT0S', '7D', 'P-1D', 'P1.5D', 'P1H', 'PT1D', 'p1d', 'P2000Y', 'P1D '])(
    '"%s" is none',
    text => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  it.each([
    ['2026-01-31', 'P1M', 1, '2026-02-28'],
    ['2026-01-31', 'P1M', 2, '2026-03-31'],
    ['2024-01-31', 'P1M', 1, '2024-02-29'],
    ['2024-02-29', 'P1Y', 1, '2025-02-28'],
    ['2024-02-29', 'P1Y', 4, '2028-02-29'],
    ['2026-03-31', 'P1M', -1, '2026-02-28'],
    ['2026-12-15', 'P1M1D', 1, '2027-01-16'],
  ])('%s and %s, %i times, is %s', (start, step, times, end) => {
    expect(plus(at(start), parseDuration(step) ?? { months: 0, milliseconds: 0 }, times)).toBe(at(end))
  })
})

describe('times of an API', () => {
  it.each([
    ['2026-03-01T10:00:00+02:00', 'iso', '2026-03-01T08:00:00Z'],
    ['2026-03-01T08:00:00.250Z', 'iso', '2026-03-01T08:00:00.250Z'],
    ['2026-03-01 08:00:00', 'iso', '2026-03-01T08:00:00Z'],
    ['2026-03-01', 'date', '2026-03-01T00:00:00Z'],
    [1_772_352_000, 'iso', '2026-03-01T08:00:00Z'],
    [1_772_352_000_000, 'iso', '2026-03-01T08:00:00Z'],
    [86_400, 'seconds', '1970-01-02T00:00:00Z'],
    ['86400.5', 'seconds', '1970-01-02T00:00:00.500Z'],
    [86_400_000, 'milliseconds', '1970-01-02T00:00:00Z'],
  ])('%s as %s is %s', (value, format, time) => {
    expect(isoTime(readMoment(value, format) ?? Number.NaN)).toBe(time)
  })

  it.each(['soon', '', {}, [], null, 1e300])('%s is none', value => {
    expect(readMoment(value, 'seconds')).toBeUndefined()
  })
})

/** All windows of a time. */
const windowsIn = (whole: Window, step: string | undefined): Window[] => {
  const found: Window[] = []
  for (let number = 0; ; number++) {
    const window = windowAt(whole, number, { step })
    if (window === undefined) return found
    found.push(window)
  }
}

const moment = fc.integer({ min: at('2015-01-01') / 1000, max: at('2026-01-01') / 1000 }).map(s => s * 1000)
const step = fc.constantFrom('P1M', 'P2M', 'P1Y', 'P1M15D', 'P7D', 'P31D', 'P45D', 'PT999H')
const granularity = fc.constantFrom('PT0.001S', 'PT1S', 'PT1M', 'PT1H', 'P1D')

describe('windows', () => {
  it('cover their time without gap or overlap, whatever the step', () => {
    fc.assert(
      fc.property(moment, moment, step, (a, b, step) => {
        const whole = { start: Math.min(a, b), end: Math.max(a, b) + 1 }
        const windows = windowsIn(whole, step)
        const [first] = windows
        expect(first?.start).toBe(whole.start)
        expect(windows.at(-1)?.end).toBe(whole.end)
        for (const [index, { start = 0, end }] of windows.entries()) {
          expect(start).toBeLessThan(end)
          if (index > 0) expect(start).toBe(windows[index - 1]?.end)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('cover each granule once where the end belongs to the window', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 400 }), granularity, (start, count, granularity) => {
        const granule = parseDuration(granularity)?.milliseconds ?? 0
        const end = start + Math.floor(count * granule * 1.3)
        const whole = timeToRead({ start, end, finished: undefined }, { granularity })
        if (whole === undefined) return expect(Math.floor(end / granule)).toBe(Math.floor(start / granule))
        const step = `PT${(granule * 7) / 1000}S`
        const incremental = { cursor: 'at', param: 'from', until: 'to', format: 'milliseconds', granularity }
        const sent = windowsIn(whole, step).flatMap(window => {
          const { from, to } = windowValues({ endpoint: 'a', incremental }, window)?.params ?? {}
          const granules: number[] = []
          for (let at = Number(from); at <= Number(to); at += granule) granules.push(at / granule)
          return granules
        })
        const first = Math.floor(start / granule)
        const last = Math.floor(end / granule)
        expect(sent).toEqual(Array.from({ length: last - first }, (_, index) => first + index))
      }),
      { numRuns: 200 },
    )
  })

  it('of one run after another leave no gap, and overlap by the lookback', () => {
    fc.assert(
      fc.property(
        moment,
        fc.array(fc.integer({ min: 0, max: 10 * 86_400 }), { minLength: 1, maxLength: 12 }),
        fc.option(fc.constantFrom('PT1H', 'P1D', 'P1M'), { nil: undefined }),
        fc.option(granularity, { nil: undefined }),
        (start, pauses, lookback, granularity) => {
          let finished: number | undefined
          let now = start
          for (const pause of pauses) {
            now += pause * 1000
            const whole = timeToRead({ start, end: now, finished }, { lookback, granularity })
            if (whole === undefined) continue
            const back = lookback === undefined ? undefined : parseDuration(lookback)
            const wanted =
              finished === undefined
                ? start
                : Math.max(start, back === undefined ? finished : plus(finished, back, -1))
            const granule = granularity === undefined ? 1 : (parseDuration(granularity)?.milliseconds ?? 1)
            expect(whole.start).toBe(Math.floor(wanted / granule) * granule)
            expect(whole.end).toBeGreaterThan(finished ?? 0)
            finished = whole.end
          }
        },
      ),
    )
  })

  it('are none when their time has been read', () => {
    expect(timeToRead({ start: 0, end: 10, finished: 10 }, { lookback: 'PT1H' })).toBeUndefined()
    expect(timeToRead({ start: 10, end: 10, finished: undefined }, {})).toBeUndefined()
    expect(timeToRead({ start: undefined, end: 10, finished: undefined }, {})).toEqual({ end: 10 })
  })
})
