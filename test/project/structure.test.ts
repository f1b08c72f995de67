import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { circlesOf, isOfProject, readImports, sourceFiles, specifiersOf, subpaths } from './import-graph.ts'

const LONGEST_FILE_LINES = 307

const files = sourceFiles('functions', 'infra', 'local', 'cli')
const graph = readImports(files)
const isCode = (file: string): boolean => /\.(tsx?|mjs)$/.test(file)
const imports = [...graph].flatMap(([from, targets]) => targets.filter(isCode).map(to => ({ from, to })))

/** `cli`, `local`, `infra`, `functions/lib`, or the folder of one function such as `functions/run-job`. */
const partOf = (file: string): string => /^(?:functions\/)?[^/]+/.exec(file)?.[0] ?? file

/** A part, or a room of `functions/lib`: their folders are floors. */
const roomsOf = (file: string): string[] => {
  const room = /^functions\/lib\/[^/]+(?=\/)/.exec(file)?.[0]
  return room === undefined ? [partOf(file)] : [partOf(file), room]
}

/** The folders of a room, with those that each imports; files beside them are one of their own. */
const foldersOf = (room: string): Map<string, string[]> => {
  const inside = imports.filter(({ from, to }) => roomsOf(from).includes(room) && roomsOf(to).includes(room))
  const folderOf = (file: string): string => /^([^/]+)\//.exec(file.slice(room.length + 1))?.[1] ?? '.'
  const folders = new Map<string, string[]>()
  for (const { from, to } of inside) {
    const [one, other] = [folderOf(from), folderOf(to)]
    if (one !== other) folders.set(one, [...(folders.get(one) ?? []), other])
  }
  return folders
}

/** Which parts a part may import besides itself. */
const allowed = (part: string): readonly string[] => {
  if (part === 'functions/lib' || part === 'infra') return []
  return part === 'cli' ? ['functions/lib', 'local'] : ['functions/lib']
}

/** What reads a deployment's own words for functions, too: read in two ways they would be refused in one. */
const readers = [
  'functions/lib/errors/did-you-mean.ts',
  'functions/lib/schedules/schedule-expression.ts',
  'functions/start-import/landing-rules.ts',
]

/** What `infra` imports of functions: names and numbers that both sides must agree on, and those readers. */
const isLight = (file: string): boolean =>
  readers.includes(file) || (file.startsWith('functions/') && specifiersOf(file).length === 0)

/** Types are gone when `infra` runs: of the variables that a function reads it imports nothing else. */
const isTypeImport = (from: string, to: string): boolean => {
  const lines = readFileSync(from, 'utf8').split('\n')
  const statements = lines.filter(line => line.endsWith(`/${to}'`))
  return statements.length > 0 && statements.every(line => line.startsWith('import type '))
}

/** What some function reaches by its imports, or starts as a thread, which is named where it is bundled. */
const reachedByFunctions = (): ReadonlySet<string> => {
  const bundling = readFileSync('infra/build-function.ts', 'utf8')
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    graph.get(file)?.forEach(visit)
  }
  for (const file of files) {
    const isOfFunction = file.startsWith('functions/') && partOf(file) !== 'functions/lib'
    if (isOfFunction || bundling.includes(`'${file}'`)) visit(file)
  }
  return reached
}

/** Data that both clouds read. */
const SYSTEM = [
  'infra/system.ts',
  'infra/stack-config.ts',
  'infra/runnable-components.ts',
  'functions/start-import/landing-rules.ts',
  'functions/tick/schedules-file.ts',
]

describe('imports', () => {
  it('are read from every part', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(new Set(imports.map(({ from }) => partOf(from)))).toEqual(new Set(files.map(partOf)))
  })

  it('go round in no circle, types included', () => {
    expect(circlesOf(graph)).toEqual([])
  })

  it('a circle would be found', () => {
    const circular = new Map([
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', ['d', 'b']],
      ['d', []],
    ])
    expect(circlesOf(circular)).toEqual([['b', 'c', 'b']])
  })

  it('go from functions to lib, from cli to local and lib, from local to lib, and to nothing else', () => {
    const strangers = imports.filter(
      ({ from, to }) =>
        partOf(from) !== partOf(to) &&
        !allowed(partOf(from)).includes(partOf(to)) &&
        !SYSTEM.includes(to) &&
        !(partOf(from) === 'infra' && (isLight(to) || isTypeImport(from, to))),
    )
    expect(strangers).toEqual([])
  })

  it('between the folders of a room go down: none needs one that needs it', () => {
    const rooms = [...new Set(files.flatMap(roomsOf))].filter(room => !room.startsWith('local'))
    expect(rooms.length).toBeGreaterThan(25)
    const circles = rooms.flatMap(room => circlesOf(foldersOf(room)).map(circle => [room, ...circle]))
    expect(circles).toEqual([])
    expect([...foldersOf('functions/lib/extractor').keys()].toSorted()).toEqual(
      ['config', 'paging', 'requests', 'run', 'tables'], // and `values`, which imports none
    )
  })

  it('of operations of jobs go through one door', () => {
    const door = 'functions/run-job/operations/run-operation.ts'
    const isInside = (file: string) => file.startsWith('functions/run-job/operations/')
    expect(imports.filter(({ from, to }) => isInside(to) && !isInside(from) && to !== door)).toEqual([])
  })

  it('of the extractor are ten of a file at most: one that needs more does the work of several', () => {
    const inside = imports.filter(({ from, to }) =>
      [from, to].every(file => roomsOf(file).includes('functions/lib/extractor')),
    )
    const byFile = Map.groupBy(inside, ({ from }) => from)
    const many = [...byFile].filter(([, others]) => new Set(others.map(({ to }) => to)).size > 10)
    expect(many.map(([file]) => file)).toEqual([])
  })

  it('of functions/lib come from some function: what only the command or the local cloud uses is theirs', () => {
    const reached = reachedByFunctions()
    expect(files.filter(file => partOf(file) === 'functions/lib' && !reached.has(file))).toEqual([])
  })

  it('name a folder from the root where they would climb three levels', () => {
    const climbing = [...files, ...sourceFiles('test')].flatMap(file =>
      specifiersOf(file)
        .filter(name => name.startsWith('../../../'))
        .map(name => `${file}: ${name}`),
    )
    expect(climbing).toEqual([])
  })

  it('use each of the names that package.json gives to folders', () => {
    const used = [...files, ...sourceFiles('test')]
      .flatMap(specifiersOf)
      .filter(isOfProject)
      .map(name => name.slice(0, name.indexOf('/') + 1))
    expect([...subpaths.keys()].filter(name => !used.includes(name))).toEqual([])
  })
})

it(`no file is longer than ${LONGEST_FILE_LINES} lines`, () => {
  const long = files.filter(
    file => readFileSync(file, 'utf8').trimEnd().split('\n').length > LONGEST_FILE_LINES,
  )
  expect(long).toEqual([])
})

it('no file only forwards what others export', () => {
  const forwarding = /^export [^;=()]*? from '[^']+'$/gm
  const isEmpty = (text: string): boolean => text.replaceAll(forwarding, '').trim() === ''
  expect(files.filter(file => isEmpty(readFileSync(file, 'utf8')))).toEqual([])
})
