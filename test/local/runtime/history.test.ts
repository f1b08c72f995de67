import { describe, expect, it } from 'vitest'
import { createHistory, type HistoryEvent } from '#local/runtime/executions/history.ts'

const lengthOf = (events: readonly HistoryEvent[], mapOf: ReadonlyMap<string, string> = new Map()) => {
  const history = createHistory(mapOf)
  return events.map(event => history.add(event)).at(-1)
}
const passed = (name: string, type: string): HistoryEvent[] => [
  { type: 'StateEntered', state: { name, type } },
  { type: 'StateExited', state: { name, type } },
]

describe('the history of an execution', () => {
  it('has five events for a task: entered, scheduled, started, succeeded, exited', () => {
    expect(lengthOf([{ type: 'ExecutionStarted' }, ...passed('A', 'Task')])).toBe(6)
  })

  it('has three more for each attempt that failed', () => {
    const failed: HistoryEvent[] = [
      { type: 'StateFailed', state: { name: 'A', type: 'Task' } },
      { type: 'StateRetried', state: { name: 'A', type: 'Task' } },
    ]
    expect(lengthOf([...failed, ...failed, ...passed('A', 'Task')])).toBe(11)
  })

  it('has two for a choice, and two for a wait', () => {
    expect(lengthOf([...passed('A', 'Choice'), ...passed('B', 'Wait')])).toBe(4)
  })

  it('holds what a plain Map does, and not what a distributed Map does', () => {
    const inside = passed('Inside', 'Task').map(event => ({ ...event, index: 0 }))
    const events = [...inside, ...inside, ...passed('Map', 'Map')]
    expect(lengthOf(events)).toBe(14)
    expect(lengthOf(events, new Map([['Inside', 'Map']]))).toBe(4)
  })

  it('begins anew for each child execution of a distributed Map', () => {
    const child = [
      { type: 'MapIterationStarted', parentState: { name: 'Map' }, index: 0 },
      ...passed('Inside', 'Task').map(event => ({ ...event, index: 0 })),
    ]
    expect(lengthOf([...child, ...child, ...child], new Map([['Inside', 'Map']]))).toBe(5)
  })
})
