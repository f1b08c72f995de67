import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type FunctionName, functionNames } from '#infra/system.ts'
import { Clocks } from '#local/runtime/clocks.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-28T05:58:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const start = (functions: readonly FunctionName[], { hasEarlierWork = false } = {}) => {
  const called: [string, object][] = []
  const clocks = new Clocks({
    functions,
    call: async (name, event) => void called.push([name, event]),
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
