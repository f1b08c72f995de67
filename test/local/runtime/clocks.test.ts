import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type FunctionName, functionNames } from '#infra/system.ts'
import { Clocks } from '#local/runtime/clocks.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-28T05:58:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const schedule = {
  name: 'nightly',
  expression: 'cron(0 6 * * ? *)',
  timezone: 'UTC',
  componentId: 'ex-generic-v2',
  configId: 'shop',
  overlap: 'skip' as const,
  flexibleMinutes: 0,
  isEnabled: true,
}

const start = (functions: readonly FunctionName[], { hasEarlierWork = false, isEnabled = true } = {}) => {
  const called: [string, object][] = []
  const clocks = new Clocks({
    config: { schedules: [{ ...schedule, isEnabled }] },
    functions,
    call: async (name, event) => void called.push([name, event]),
    extract: async input => void called.push(['extract', input]),
    log: () => {},
  })
  clocks.start({ hasEarlierWork })
  return { called, clocks }
}

it('calls what is due, with the minute that it stands for', async () => {
  const { called, clocks } = start(functionNames)
  await vi.advanceTimersByTimeAsync(2 * 60_000)
  clocks.close()
  const dues = called.filter(([name]) => name === 'tick').map(([, event]) => event)
  expect(dues).toEqual([{ time: '2026-11-28T05:59:00Z' }, { time: '2026-11-28T06:00:00Z' }])
  expect(called).toContainEqual([
    'extract',
    { componentId: 'ex-generic-v2', configId: 'shop', overlap: 'skip', trigger: 'schedule nightly' },
  ])
  expect(called.filter(([name]) => name === 'sweep-storage')).toEqual([])
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  expect(called.filter(([name]) => name === 'sweep-storage')).toEqual([])
})

it('each kind of sweep has its minute', async () => {
  const { called, clocks } = start(['sweep-storage'])
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  clocks.close()
  expect(called.map(([, event]) => event)).toEqual(
    ['files', 'file-objects', 'table-snapshots', 'table-objects'].map(kind => ({ kind })),
  )
})

it('looks at once for what was left before the start', () => {
  const { called, clocks } = start(['tick', 'sweep-storage'], { hasEarlierWork: true })
  clocks.close()
  expect(called).toEqual([['tick', { time: '2026-11-28T05:58:30Z' }]])
})

it('leaves out what is switched off', async () => {
  const { called, clocks } = start(['run-extractor'], { isEnabled: false })
  await vi.advanceTimersByTimeAsync(2 * 60_000)
  clocks.close()
  expect(called).toEqual([])
})
