import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  copyConfiguration,
  newConfiguration,
  rollbackConfiguration,
  updateConfiguration,
} from '#lib/storage/configurations/change-configuration.ts'
import { updateRow } from '#lib/storage/configurations/change-rows.ts'
import { type Configuration, rowMemory, type Version } from '#lib/storage/configurations/configuration.ts'
import { changed, type Step, step } from './steps.ts'

/** The configuration after each step, and all its versions. */
const run = (steps: Step[]): { states: Configuration[]; versions: Version[] } => {
  const first = newConfiguration('c', 'i', { name: 'first' }, changed())
  const states = [first]
  const versions = [first.current]
  for (const next of steps) {
    const last = states.at(-1) ?? first
    const result = next(last, versions)
    states.push(result)
    if (result.current !== last.current) versions.push(result.current)
  }
  return { states, versions }
}

const settingsOf = ({ content }: Version) => ({
  ...content,
  isDeleted: false,
  rows: content.rows.map(({ id, name, description, configuration, isDisabled }) => ({
    id,
    name,
    description,
    configuration,
    isDisabled,
  })),
})

describe('versions', () => {
  it('only ever grow, and each change makes at most the steps it consists of', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), steps => {
        const numbers = run(steps).states.map(({ current }) => current.version)
        for (const [index, number] of numbers.entries()) {
          const before = numbers[index - 1] ?? 1
          // Trash and restore are two.
          expect(number - before).toBeGreaterThanOrEqual(0)
          expect(number - before).toBeLessThanOrEqual(2)
        }
      }),
    )
  })

  it('of a row grow too, and are never given twice', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), steps => {
        const seen = new Map<string, string>()
        for (const { current } of run(steps).states)
          for (const row of current.content.rows) {
            const content = JSON.stringify([row.configuration, row.name, row.changed.identifier])
            const key = `${row.id} ${row.version}`
            expect(seen.get(key) ?? content).toBe(content)
            seen.set(key, content)
          }
      }),
    )
  })

  it('are what they were after a rollback, whatever happened in between; states stay', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.nat(), (steps, choice) => {
        const { states, versions } = run(steps)
        const last = states.at(-1)
        const target = versions[choice % versions.length]
        if (!last || !target) throw new Error('There is a first version at least')
        const back = rollbackConfiguration(last, target, changed())
        expect(settingsOf(back.current)).toEqual(settingsOf(target))
        expect(back.current.version).toBe(last.current.version + 1)
        expect(back.state).toBe(last.state)
        for (const { id } of back.current.content.rows)
          expect(rowMemory(back, id).state).toBe(rowMemory(last, id).state)
      }),
    )
  })

  it('are copied completely, as version 1 of the configuration and its rows', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), steps => {
        const last = run(steps).states.at(-1)
        if (!last) throw new Error('There is a first version at least')
        const copy = copyConfiguration(
          last,
          last.current,
          { id: 'copy', internalId: 'j', name: last.current.content.name },
          changed(),
        )
        expect(settingsOf(copy.current)).toEqual(settingsOf(last.current))
        expect([copy.current.version, ...copy.current.content.rows.map(row => row.version)]).toEqual(
          Array(1 + copy.current.content.rows.length).fill(1),
        )
        expect(copy.state).toBe('{}')
      }),
    )
  })

  it('are not made by unchanged values', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), steps => {
        const last = run(steps).states.at(-1)
        if (!last) throw new Error('There is a first version at least')
        const { content } = last.current
        expect(updateConfiguration(last, { ...content, state: last.state }, changed())).toBe(last)
        for (const row of content.rows)
          expect(updateRow(last, row.id, { ...row, state: rowMemory(last, row.id).state }, changed())).toBe(
            last,
          )
      }),
    )
  })

  it('name each row of a set order once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), steps => {
        for (const { current } of run(steps).states) {
          const { rows, rowsSortOrder } = current.content
          if (rowsSortOrder.length === 0) continue
          expect(rowsSortOrder.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
        }
      }),
    )
  })
})
