import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { bundlesFolder } from '../runtime/bundles.ts'
import { projectRoot } from '../runtime/project-root.ts'

const sourceMap = z.object({ sources: z.array(z.string()) })
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string().default('not named') })

/** Names and licences of the packages inside the functions' bundles, as their licences ask for. */
const bundledLicenses = async (bundles: string): Promise<string> => {
  const maps = globSync('**/*.mjs.map', { cwd: bundles }).sort()
  if (maps.length === 0) throw new Error(`There are no source maps in ${bundles}`)
  const folders = new Set<string>()
  for (const map of maps)
    for (const source of sourceMap.parse(JSON.parse(readFileSync(join(bundles, map), 'utf8'))).sources)
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
        imports: {
          '#lib/*.ts': './functions/lib/*.js',
          '#infra/*.ts': './infra/*.js',
          '#local/*.ts': './local/*.js',
        },
      },
      null,
      2,
    )}\n`,
  )

await rm(dist, { recursive: true, force: true })
compile()
await writeManifest()
const bundles = join(dist, 'bundles')
await cp(await bundlesFolder(), bundles, {
  recursive: true,
  filter: path => !/(\.metafile\.json|[\\/]compiled)$/.test(path),
})
await writeFile(join(dist, 'BUNDLED-LICENSES.txt'), await bundledLicenses(bundles))
