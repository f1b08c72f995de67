import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { expect, it } from 'vitest'
import { projectRoot } from '#local/runtime/project-root.ts'

const bundleOf = async (file: string): Promise<Metafile['outputs']> => {
  const { metafile } = await build({
    entryPoints: [join(projectRoot, file)],
    absWorkingDir: projectRoot,
    outdir: 'unwritten',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
  })
  return metafile.outputs
}

/** What these files load at once, without what they import later. */
const loadedWith = (outputs: Metafile['outputs'], files: readonly string[]): Set<string> => {
  const seen = new Set(files)
  for (const file of seen)
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') seen.add(path)
  return seen
}

it('the help of all commands loads neither the extractor nor the local cloud, and no package but that of schemas', async () => {
  const outputs = await bundleOf('cli/commands.ts')
  const registry = Object.keys(outputs).filter(file => outputs[file]?.entryPoint === 'cli/commands.ts')
  const commands = registry.flatMap(file => outputs[file]?.imports ?? []).map(({ path }) => path)
  const files = loadedWith(outputs, [...registry, ...commands])
  const sources = [...files].flatMap(file => Object.keys(outputs[file]?.inputs ?? {}))
  expect(sources).toContain('cli/extract.ts')
  expect(sources).toContain('cli/start.ts')
  expect(
    sources.filter(source => /lib\/extractor\/(extract\.ts|http|runner|tables)|embedded-cloud/.test(source)),
  ).toEqual([])
  const packages = [...files].filter(file => !(file in outputs) && !file.startsWith('node:'))
  expect(packages.sort()).toEqual(['zod', 'zod/mini'])
})
