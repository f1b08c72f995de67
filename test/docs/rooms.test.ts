import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { roomPages, rooms, roomsOf, withPicture } from '../tools/documents/room-picture.ts'

const LONGEST_PAGE_LINES = 60

it('each room has a page, and one only', () => {
  const named = [...roomPages().values()].flatMap(roomsOf)
  expect(named.toSorted()).toEqual(rooms().toSorted())
})

it.each([...roomPages()])('%s shows the floors as the imports have them (npm run rooms)', (_, page) => {
  expect(page).toBe(withPicture(page))
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_PAGE_LINES)
})

/** The file in the head of a table, and the first cell of each row below. */
const statesOf = (page: string): { file: string; states: string[] }[] =>
  [...page.matchAll(/^\| (?:state|step|outcome) \(`([^`]+)`\) .*\n\| ---.*\n((?:\|.*\n)+)/gm)].map(
    ([, file = '', rows = '']) => ({
      file,
      states: [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, state = '']) => state),
    }),
  )

it('states and steps are those of the code', () => {
  const tables = [...roomPages().values()].flatMap(statesOf)
  expect(tables.length).toBe(4)
  for (const { file, states } of tables) {
    const code = readFileSync(file, 'utf8')
    expect(states.length).toBeGreaterThan(3)
    expect(states.filter(state => !code.includes(`'${state}'`))).toEqual([])
  }
})

it('the list of rooms names each page', () => {
  const list = readFileSync('docs/rooms/index.md', 'utf8')
  for (const path of roomPages().keys()) expect(list).toContain(`(${basename(path)})`)
})
