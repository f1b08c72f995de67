import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { functionNames } from '#infra/system.ts'

const flow = join(import.meta.dirname, 'fixtures', 'flow.mjs')

/** Bundles of one small function in place of all others: it counts what lands, and does what its input asks. */
export const writeFlowBundles = async (folder: string): Promise<string> => {
  for (const name of functionNames) {
    await mkdir(join(folder, name, 'components'), { recursive: true })
    await writeFile(join(folder, name, 'index.mjs'), `export * from ${JSON.stringify(flow)}\n`)
  }
  return folder
}
