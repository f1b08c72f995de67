import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { functionNames } from '#infra/system.ts'

/** A folder with the bundle of a fixture: threads keep what they compile beside it. */
export const writeBundle = async (folder: string, fixture: string): Promise<string> => {
  await mkdir(folder, { recursive: true })
  const path = join(import.meta.dirname, 'fixtures', fixture)
  await writeFile(join(folder, 'index.mjs'), `export * from ${JSON.stringify(path)}\n`)
  return folder
}

/** Bundles of one small function in place of all others: it counts what lands, and does what its input asks. */
export const writeFlowBundles = async (folder: string): Promise<string> => {
  for (const name of functionNames) {
    await writeBundle(join(folder, name), 'flow.mjs')
    await mkdir(join(folder, name, 'components'), { recursive: true })
  }
  return folder
}
