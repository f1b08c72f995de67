import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { mergeSlicesEvent } from '#functions/merge-slices/event.ts'
import { runSteps } from '#functions/run-extractor/names.ts'
import { jobRecord } from '#lib/storage/jobs/job-record.ts'
import { withMachines } from '../tools/documents/machine-picture.ts'
import { roomPages, rooms, roomsOf, withPicture } from '../tools/documents/room-picture.ts'

const LONGEST_PAGE_LINES = 60

it('each room has a page, and one only', () => {
  const named = [...roomPages().values()].flatMap(roomsOf)
  expect(named.toSorted()).toEqual(rooms().toSorted())
})

it.each([...roomPages()])('%s shows floors and machines as the code has them (npm run rooms)', (_, page) => {
  expect(page).toBe(withMachines(withPicture(page)))
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_PAGE_LINES)
})

/** The words of `outcome: 'a' | 'b'`: there is only a type of them. */
const outcomesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/\boutcome: ((?:'\w+'(?: \| )?)+)/g)].flatMap(([, words = '']) =>
    words.split(' | ').map(word => word.slice(1, -1)),
  )

const START_IMPORT_RESULT = 'functions/start-import/start-import-result.ts'

/** File in the head of a table -> the states that it declares. */
const declaredStates: Record<string, readonly string[]> = {
  [START_IMPORT_RESULT]: outcomesIn(START_IMPORT_RESULT),
  'functions/lib/storage/jobs/job-record.ts': jobRecord.options.map(({ shape }) => shape.status.value),
  'functions/run-extractor/names.ts': runSteps,
  'functions/merge-slices/event.ts': mergeSlicesEvent.options.map(({ shape }) => shape.step.value),
}

/** The file in the head of a table, and the first cell of each row below. */
const statesOf = (page: string): [file: string, states: string[]][] =>
  [...page.matchAll(/^\| (?:state|step|outcome) \(`([^`]+)`\) .*\n\| ---.*\n((?:\|.*\n)+)/gm)].map(
    ([, file = '', rows = '']) => [
      file,
      [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, state = '']) => state),
    ],
  )

it.each(Object.entries(declaredStates))(
  'the states of %s are those of its page, all of them',
  (file, states) => {
    const tables = new Map([...roomPages().values()].flatMap(statesOf))
    expect(states.length).toBeGreaterThan(3)
    expect(tables.get(file)?.toSorted()).toEqual([...new Set(states)].toSorted())
  },
)

it('the list of rooms names each page', () => {
  const list = readFileSync('docs/rooms/index.md', 'utf8')
  for (const path of roomPages().keys()) expect(list).toContain(`(${basename(path)})`)
})
