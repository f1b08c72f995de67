import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** File -> the files of the project that it imports, types included. Paths from the project's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

// Biome gives every import one form: `from '…'` at the end, `import '…'` or `import('…')`.
const specifier = /(?:\bfrom |\bimport |\bimport\()'([^'\n]+)'/g

/** What a file imports, as it is written there. */
export const specifiersOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(specifier)].map(([, found = '']) => found)

export const isOfProject = (name: string): boolean => /^[.#]/.test(name)

/** Subpath of package.json -> folder, both up to the star: `#lib/` -> `functions/lib/`. */
export const subpaths: ReadonlyMap<string, string> = new Map(
  Object.entries<string>(JSON.parse(readFileSync('package.json', 'utf8')).imports).map(([name, target]) => [
    name.replace('*', ''),
    normalize(target.replace('*', '')),
  ]),
)

const resolve = (file: string, name: string): string => {
  const [start = '', folder = ''] = [...subpaths].find(([subpath]) => name.startsWith(subpath)) ?? []
  const path = start === '' ? join(dirname(file), name) : join(folder, name.slice(start.length))
  if (!existsSync(path)) throw new Error(`${file} imports ${name}, which is not there`)
  return path
}

export const sourceFiles = (...folders: string[]): string[] =>
  folders.flatMap(folder => globSync(`${folder}/**/*.{ts,tsx,mjs}`)).map(normalize)

export const readImports = (files: readonly string[]): ImportGraph =>
  new Map(
    files.map(file => [
      file,
      specifiersOf(file)
        .filter(isOfProject)
        .map(name => resolve(file, name)),
    ]),
  )

const namedImport =
  /\b(?:import|export) (?:type )?(?:\{([^}]*)\}|\*(?: as \w+)?) from '([.#][^'\n]+)'|\bimport\('([.#][^'\n]+)'\)/g

const namesIn = (list: string): string[] =>
  list.split(',').map(entry =>
    entry
      .trim()
      .replace(/^type /, '')
      .replace(/ as .*$/, ''),
  )

/** `file#name` for each name that one of the files imports from another; `file#*` where it imports all of it. */
export const readImportedNames = (files: readonly string[]): ReadonlySet<string> =>
  new Set(
    files.flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(namedImport)].flatMap(([, list = '*', from, dynamic]) => {
        const path = resolve(file, from ?? dynamic ?? '')
        return namesIn(list).map(name => `${path}#${name}`)
      }),
    ),
  )

const exported =
  /^export (?:abstract |async )?(?:const|let|function\*?|class|interface|type) (\w+)|^export \{([^}]*)\}/gm

/** The names that a file exports, types included. */
export const exportsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(exported)].flatMap(([, name, list = '']) =>
    name === undefined ? list.split(',').map(entry => entry.trim().replace(/^type |^.* as /, '')) : [name],
  )

/** Each circle that a walk along the imports comes upon, as the files in the order in which they import each other. */
export const circlesOf = (graph: ImportGraph): string[][] => {
  const circles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file])
    if (start >= 0 || done.has(file)) return
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return circles
}
