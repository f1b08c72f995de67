import { expect, it } from 'vitest'
import { simulateImports } from '../../support/simulated-imports.ts'
import { createSimulatedTime } from '../../support/simulated-time.ts'
import { isThorough } from '../../support/thorough.ts'

const FILES = isThorough ? 10_000 : 2_000

it(`${FILES} files that land in one table, 1,000 a second, are there in minutes, with few steps each`, async () => {
  const time = createSimulatedTime(new Date('2026-11-22T00:00:00Z'))
  const figures = await simulateImports(time, { files: FILES, tables: 1, filesASecond: 1_000 })
  expect(figures.statuses).toEqual({ success: FILES })
  expect(figures.rows).toBe(FILES + 1)
  expect(figures.minutes).toBeLessThan(15)
  expect(figures.transitions).toBeLessThanOrEqual(12)
  expect(figures.invocations).toBeLessThanOrEqual(3)
  expect(figures.logged).toEqual([])
})
