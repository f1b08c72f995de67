import { globSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../runtime/project-root.ts'

const sourceMap = z.object({ sources: z.array(z.string()) })
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string().default('not named') })

/** Names and licences of the packages inside the functions' bundles, as their licences ask for. */
export const bundledLicenses = async (assemblies: string): Promise<string> => {
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
