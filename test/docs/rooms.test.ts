import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { stepBefore } from '#functions/merge-slices/event.ts'
import { runSteps } from '#functions/run-extractor/names.ts'
import { jobRecord } from '#lib/storage/jobs/job-record.ts'

const LONGEST_PAGE_LINES = 60

const pages = new Map(
  globSync('docs/rooms/*.md')
    .filter(path => !path.endsWith('index.md'))
    .map(path => [path, readFileSync(path, 'utf8')]),
)

/** Folders of functions and of `functions/lib`, and those beside them. */
const rooms = [
  ...globSync('functions/*/').filter(folder => folder !== 'functions/lib'),
  ...globSync('functions/lib/*/'),
  ...['cli', 'infra', 'local'],
]

it('each room has a page, and one only', () => {
  const named = [...pages.values()].flatMap(
    page => /^<!-- rooms: (.+) -->$/m.exec(page)?.[1]?.split(', ') ?? [],
  )
  expect(named.toSorted()).toEqual(rooms.toSorted())
})

it.each([...pages])('%s can be read in one sitting', (_, page) => {
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_PAGE_LINES)
})

const IMPORT_ANSWER = 'functions/start-import/import-version.ts'

/** One a line: there is only a type of them. */
const outcomes = [...readFileSync(IMPORT_ANSWER, 'utf8').matchAll(/^ {2}\| '(\w+)'$/gm)].map(
  ([, word = '']) => word,
)

/** File in the head of a table -> the states that it declares. */
const declaredStates: Record<string, readonly string[]> = {
  [IMPORT_ANSWER]: [...outcomes, 'again', 'each', 'failed'],
  'functions/lib/storage/jobs/job-record.ts': jobRecord.options.map(({ shape }) => shape.status.value),
  'functions/run-extractor/names.ts': runSteps,
  'functions/merge-slices/event.ts': stepBefore.unwrap().shape.begun.options,
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
    const tables = new Map([...pages.values()].flatMap(statesOf))
    expect(states.length).toBeGreaterThan(1)
    expect(tables.get(file)?.toSorted()).toEqual([...new Set(states)].toSorted())
  },
)

it('the list of rooms names each page', () => {
  const list = readFileSync('docs/rooms/index.md', 'utf8')
  for (const path of pages.keys()) expect(list).toContain(`(${basename(path)})`)
})
