import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { projectRoot } from '../runtime/project-root.ts'
import { assembliesFolder, assemblyName, stackContext } from '../runtime/published-assembly.ts'
import { synthesise } from '../runtime/synthesise.ts'

const sourceMap = z.object({ sources: z.array(z.string()) })
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string().default('not named') })

/** Names and licences of the packages inside the functions' bundles, as their licences ask for. */
const bundledLicenses = async (assemblies: string): Promise<string> => {
  const maps = globSync('**/*.mjs.map', { cwd: assemblies }).sort()
  if (maps.length === 0) throw new Error(`There are no source maps in ${assemblies}`)
  const folders = new Set<string>()
  for (const map of maps)
    for (const source of sourceMap.parse(JSON.parse(readFileSync(join(assemblies, map), 'utf8'))).sources)
      folders.add(/.*(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? '')
  folders.delete('')
  const texts = await Promise.all([...folders].sort().map(describe))
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

const describe = async (folder: string): Promise<string> => {
  const path = join(projectRoot, folder)
  const { name, version, license } = manifest.parse(
    JSON.parse(await readFile(join(path, 'package.json'), 'utf8')),
  )
  const files = (await readdir(path)).filter(file => /^(licen[cs]e|notice)/i.test(file)).sort()
  const texts = await Promise.all(files.map(file => readFile(join(path, file), 'utf8')))
  return [`${name} ${version} (${license})\n`, ...texts].join('\n')
}

/* Builds dist/, which is what the published package runs (docs/decisions/0020-published-package.md). */
const dist = join(projectRoot, 'dist')

/** The modules of the command line and of the local cloud as JavaScript, each at its own place. */
const compile = (): void => {
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const config = join(import.meta.dirname, 'tsconfig.json')
  execFileSync(process.execPath, [compiler, '--project', config, '--outDir', dist], { stdio: 'inherit' })
}

/** The version for `--version`, and our own import names, which lead to the built files. */
const writeManifest = (): Promise<void> =>
  writeFile(
    join(dist, 'package.json'),
    `${JSON.stringify(
      {
        version: packageJson.version,
        type: 'module',
        imports: { '#lib/*.ts': './functions/lib/*.js', '#local/*.ts': './local/*.js' },
      },
      null,
      2,
    )}\n`,
  )

/** Both assemblies have the same assets, of which the second one takes those of the first. */
const writeAssemblies = async (): Promise<void> => {
  const folder = join(dist, assembliesFolder)
  const [first, second] = ['127.0.0.1', '0.0.0.0'].map(bind => ({
    source: synthesise(stackContext(bind)),
    target: join(folder, assemblyName(bind)),
  }))
  if (!first || !second) throw new Error('two assemblies are made')
  const unused = ['tree.json', 'validation-report.json', 'Millrace.metadata.json']
  await cp(await first.source, first.target, {
    recursive: true,
    filter: path => !unused.some(name => path.endsWith(name)),
  })
  await mkdir(second.target, { recursive: true })
  const source = await second.source
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (!entry.isFile() || unused.includes(entry.name)) continue
    const text = await readFile(join(source, entry.name), 'utf8')
    const isAssets = entry.name.endsWith('.assets.json')
    await writeFile(
      join(second.target, entry.name),
      isAssets ? await withAssetsOf(text, first, second) : text,
    )
  }
}

type Place = { target: string }

/** Names the folders of the other assembly's assets, which must be there. */
const withAssetsOf = async (manifest: string, { target }: Place, here: Place): Promise<string> => {
  const there = new Set(await readdir(target))
  return manifest.replaceAll(/"path": "(asset\.[^"]+)"/g, (_text, asset: string) => {
    if (!there.has(asset)) throw new Error(`${asset} is not among the assets of ${target}`)
    return `"path": ${JSON.stringify(relative(here.target, join(target, asset)))}`
  })
}

await rm(dist, { recursive: true, force: true })
compile()
await writeManifest()
await writeAssemblies()
await writeFile(join(dist, 'BUNDLED-LICENSES.txt'), await bundledLicenses(join(dist, assembliesFolder)))
