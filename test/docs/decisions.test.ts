import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '../../docs/decisions')

it('decisions have a number each, in the name of the file and in its heading; that of one that went stays free', () => {
  const numbers = readdirSync(folder)
    .sort()
    .map(name => {
      const number = Number(name.slice(0, 4))
      expect(readFileSync(join(folder, name), 'utf8'), name).toMatch(new RegExp(`^# ${number}\\. `))
      return number
    })
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
})
