import type { Metafile } from 'esbuild'

interface BundleSize {
  bytes: number
  /** The largest inputs, packages as one: `zod 108 KB`. */
  largest: string
}

/** What a start of a function loads: its entry, and what that imports statically. */
export const sizeOfStart = (metafile: Metafile): BundleSize =>
  sizeOf(metafile, ({ entryPoint }) => entryPoint?.endsWith('/handler.ts') ?? false)

/** What the first event loads besides: `open-app.ts` or `work.ts`. What is common with the start counts too. */
export const sizeOfFirstEvent = (metafile: Metafile): BundleSize =>
  sizeOf(metafile, ({ entryPoint }) => /\/(handler|work|open-app)\.ts$/.test(entryPoint ?? ''))

const sizeOf = ({ outputs }: Metafile, isEntry: (output: Metafile['outputs'][string]) => boolean) => {
  const loaded = new Set<string>()
  const load = (path: string): void => {
    const output = outputs[path]
    if (!output || loaded.has(path)) return
    loaded.add(path)
    for (const each of output.imports) if (each.kind === 'import-statement') load(each.path)
  }
  for (const [path, output] of Object.entries(outputs)) if (isEntry(output)) load(path)
  if (loaded.size === 0) throw new Error('The bundle has no such entry')
  const found = [...loaded].flatMap(path => outputs[path] ?? [])
  return { bytes: found.reduce((sum, { bytes }) => sum + bytes, 0), largest: largestOf(found) }
}

const LARGEST = 8

const largestOf = (found: readonly Metafile['outputs'][string][]): string => {
  const bytes = new Map<string, number>()
  for (const { inputs } of found)
    for (const [path, { bytesInOutput }] of Object.entries(inputs))
      bytes.set(packageOf(path), (bytes.get(packageOf(path)) ?? 0) + bytesInOutput)
  return [...bytes]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, LARGEST)
    .map(([name, size]) => `${name} ${Math.round(size / 1000)} KB`)
    .join(', ')
}

const packageOf = (path: string): string =>
  path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/)?.[1] ??
  path.split('/').slice(0, 3).join('/')
