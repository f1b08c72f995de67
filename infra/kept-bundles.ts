import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { bundleFunctions, type FunctionBundles, functionNames } from './bundle.ts'

const index = (folder: string): string => join(folder, 'bundles.json')

const kept = z.record(z.enum(functionNames), z.object({ contentHash: z.string(), isNative: z.boolean() }))

/** Bundles every function for this machine into the folder, which is made, for assemblies of any configuration. */
export const keepBundles = async (folder: string): Promise<void> => {
  mkdirSync(folder)
  const bundles = await bundleFunctions({ runsOn: 'this-machine', root: folder })
  writeFileSync(index(folder), JSON.stringify(kept.parse(bundles)))
}

export const readKeptBundles = (folder: string): FunctionBundles => {
  const found = Object.entries(kept.parse(JSON.parse(readFileSync(index(folder), 'utf8'))))
  // The schema has every name.
  return Object.fromEntries(
    found.map(([name, bundle]) => [name, { ...bundle, folder: join(folder, name) }]),
  ) as FunctionBundles
}
