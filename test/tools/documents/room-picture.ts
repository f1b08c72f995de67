import { globSync, readFileSync } from 'node:fs'
import { readImports, sourceFiles } from '../../project/import-graph.ts'

/** Where a page of `docs/rooms` names the folders that it is about. */
const ABOUT = /^<!-- rooms: (.+) -->$/m
const PICTURE = /<!-- picture -->[\s\S]*?<!-- end of the picture -->/
const LONGEST_LINE = 100

/** Folders of functions and of `functions/lib`, and those beside them: each is on one page. */
export const rooms = (): string[] => [
  ...globSync('functions/*/', {}).filter(folder => folder !== 'functions/lib'),
  ...globSync('functions/lib/*/'),
  ...['cli', 'infra', 'local'],
]

export const roomsOf = (page: string): string[] => ABOUT.exec(page)?.[1]?.split(', ') ?? []

/** The page with the picture as the imports have it now. */
export const withPicture = (page: string): string =>
  page.replace(
    PICTURE,
    () =>
      `<!-- picture -->\n\`\`\`text\n${pictureOf(roomsOf(page)).join('\n')}\n\`\`\`\n<!-- end of the picture -->`,
  )

const files = sourceFiles('functions', 'infra', 'local', 'cli')
const graph = readImports(files)

/** Folders from the one that uses all others down to those that use none, a line for each floor; what comes in and goes out. */
const pictureOf = (of: readonly string[]): string[] => {
  const isInside = (file: string): boolean => of.some(room => file.startsWith(`${room}/`))
  const inside = files.filter(isInside)
  const uses = new Map<string, Set<string>>(inside.map(file => [folderOf(file, of), new Set()]))
  const [out, comes] = [new Set<string>(), new Set<string>()]
  for (const [from, targets] of graph)
    for (const to of targets) {
      if (isInside(from) && isInside(to)) uses.get(folderOf(from, of))?.add(folderOf(to, of))
      else if (isInside(from)) out.add(roomOf(to))
      else if (isInside(to)) comes.add(roomOf(from))
    }
  const floors = floorsOf(uses)
  return [
    ...line('used by', alone([...comes])),
    ...floors
      .map((floor, index) => line(`floor ${index + 1}`, floor))
      .reverse()
      .flat(),
    ...line('uses', alone([...out])),
  ]
}

/** The folder within the rooms; a room's own files are of the room. */
const folderOf = (file: string, of: readonly string[]): string => {
  const room = of.find(one => file.startsWith(`${one}/`)) ?? ''
  const [first = '', ...others] = file.slice(room.length + 1).split('/')
  const within = others.length === 0 ? '' : first
  const name = room.replace(/^functions\/(lib\/)?/, '')
  return of.length === 1 ? within || `${name}/` : within === '' ? name : `${name}/${within}`
}

const roomOf = (file: string): string =>
  /^(?:functions\/lib\/|functions\/)?[^/]+/.exec(file)?.[0].replace(/^functions\/(lib\/)?/, '') ?? file

/** Folders that use each other stand on one floor, joined by a plus. */
const floorsOf = (uses: ReadonlyMap<string, ReadonlySet<string>>): string[][][] => {
  const reach = new Map([...uses.keys()].map(folder => [folder, reachedFrom(folder, uses)]))
  const together = (one: string, other: string): boolean =>
    one === other || (reach.get(one)?.has(other) === true && reach.get(other)?.has(one) === true)
  const groups: string[][] = []
  for (const folder of [...uses.keys()].toSorted()) {
    const group = groups.find(([first = '']) => together(first, folder))
    if (group) group.push(folder)
    else groups.push([folder])
  }
  const heights = new Map<string[], number>()
  const heightOf = (group: string[]): number => {
    const known = heights.get(group)
    if (known !== undefined) return known
    const below = groups.filter(
      other => other !== group && group.some(folder => other.some(one => uses.get(folder)?.has(one))),
    )
    const height = below.length === 0 ? 0 : 1 + Math.max(...below.map(heightOf))
    heights.set(group, height)
    return height
  }
  const floors: string[][][] = []
  for (const group of groups) {
    const height = heightOf(group)
    floors[height] = [...(floors[height] ?? []), group]
  }
  return floors
}

const reachedFrom = (start: string, uses: ReadonlyMap<string, ReadonlySet<string>>): Set<string> => {
  const reached = new Set<string>()
  const visit = (folder: string): void => {
    for (const next of uses.get(folder) ?? [])
      if (!reached.has(next)) {
        reached.add(next)
        visit(next)
      }
  }
  visit(start)
  return reached
}

const WORD = 10

const alone = (names: readonly string[]): string[][] => names.toSorted().map(name => [name])

/** Groups of names in as many lines as they need. */
const line = (word: string, groups: readonly string[][]): string[] => {
  if (groups.length === 0) return []
  const names = groups
    .map(group => group.join(' + '))
    .join(', ')
    .split(' ')
  const lines = ['']
  for (const name of names) {
    const last = lines.length - 1
    const longer = lines[last] === '' ? name : `${lines[last]} ${name}`
    if (longer.length <= LONGEST_LINE - WORD) lines[last] = longer
    else lines.push(name)
  }
  return lines.map((text, index) => `${(index === 0 ? word : '').padEnd(WORD)}${text}`)
}

/** The pages, by their path. */
export const roomPages = (): Map<string, string> =>
  new Map(
    globSync('docs/rooms/*.md')
      .filter(path => !path.endsWith('index.md'))
      .toSorted()
      .map(path => [path, readFileSync(path, 'utf8')]),
  )
