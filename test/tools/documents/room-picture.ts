import { globSync, readFileSync } from 'node:fs'
import { readImports, sourceFiles } from '../../project/import-graph.ts'

/** Where a page of `docs/rooms` names the folders that it is about. */
const ABOUT = /^<!-- rooms: (.+) -->$/m
const PICTURE = /<!-- picture -->[\s\S]*?<!-- end of the picture -->/
const LONGEST_LINE = 100
/** With more doors than this a room says how many: what stands in it is used one by one. */
const MOST_DOORS = 48

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

/** Folders from those that use others down to those that use none, a line for each floor; who comes in, by which files, and what goes out. */
const pictureOf = (of: readonly string[]): string[] => {
  const isInside = (file: string): boolean => of.some(room => file.startsWith(`${room}/`))
  const inside = files.filter(isInside)
  const uses = new Map<string, Set<string>>(inside.map(file => [folderOf(file, of), new Set()]))
  const [out, comes, doors] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const [from, targets] of graph)
    for (const to of targets) {
      if (isInside(from) && isInside(to)) uses.get(folderOf(from, of))?.add(folderOf(to, of))
      else if (isInside(from)) out.add(roomOf(to))
      else if (isInside(to)) {
        comes.add(roomOf(from))
        doors.add(nameOf(to, of))
      }
    }
  const floors = floorsOf(uses)
  return [
    ...line('used by', [...comes].toSorted()),
    ...line(
      'doors',
      doors.size <= MOST_DOORS ? [...doors].toSorted() : [`${doors.size} of ${inside.length} files`],
    ),
    ...floors
      .map((floor, index) => line(`floor ${index + 1}`, floor))
      .reverse()
      .flat(),
    ...line('uses', [...out].toSorted()),
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

/** The file within the rooms, with the room's own name where there are several. */
const nameOf = (file: string, of: readonly string[]): string => {
  const room = of.length === 1 ? of[0] : undefined
  return room === undefined ? file.replace(/^functions\/(lib\/)?/, '') : file.slice(room.length + 1)
}

const roomOf = (file: string): string =>
  /^(?:functions\/lib\/|functions\/)?[^/]+/.exec(file)?.[0].replace(/^functions\/(lib\/)?/, '') ?? file

/** A folder stands above all that it uses; none uses one that uses it (`test/project/structure.test.ts`). */
const floorsOf = (uses: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const heights = new Map<string, number>()
  const heightOf = (folder: string): number => {
    const known = heights.get(folder)
    if (known !== undefined) return known
    heights.set(folder, 0)
    const below = [...(uses.get(folder) ?? [])].filter(other => other !== folder)
    const height = Math.max(0, ...below.map(other => 1 + heightOf(other)))
    heights.set(folder, height)
    return height
  }
  const floors: string[][] = []
  for (const folder of [...uses.keys()].toSorted()) {
    const height = heightOf(folder)
    floors[height] = [...(floors[height] ?? []), folder]
  }
  return floors
}

const WORD = 10

/** Names in as many lines as they need. */
const line = (word: string, all: readonly string[]): string[] => {
  if (all.length === 0) return []
  const names = all.join(', ').split(' ')
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
