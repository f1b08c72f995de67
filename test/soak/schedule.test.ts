import { expect, it } from 'vitest'
import { phaseOf, stepKinds, usualSchedule } from './schedule.ts'

const phases = (seed: number, count: number) =>
  Array.from({ length: count }, (_, phase) => phaseOf(seed, phase))

it('the same seed gives the same steps and stops, another seed others', () => {
  expect(phases(7, 5)).toEqual(phases(7, 5))
  expect(phases(7, 1)).not.toEqual(phases(8, 1))
  expect(phaseOf(7, 1).steps).not.toEqual(phaseOf(7, 2).steps)
})

it('numbers each step of a run once', () => {
  const numbers = phases(3, 4).flatMap(({ steps }) => steps.flat().map(({ number }) => number))
  const { clients, stepsPerClient } = usualSchedule
  expect(numbers).toEqual(Array.from({ length: 4 * clients * stepsPerClient }, (_, index) => index + 1))
})

it('comes to every kind of step, and to every way to stop', () => {
  const drawn = phases(1, 40)
  expect(new Set(drawn.flatMap(({ steps }) => steps.flat().map(({ kind }) => kind)))).toEqual(
    new Set(stepKinds),
  )
  expect(new Set(drawn.flatMap(({ stops }) => stops.map(({ signal, at }) => `${signal} ${at}`))).size).toBe(4)
})
