import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes `out/state.json`. */
export const writeState = async (dataDir: string, state: unknown): Promise<void> => {
  await mkdir(join(dataDir, 'out'), { recursive: true })
  await writeFile(join(dataDir, 'out', 'state.json'), JSON.stringify(state))
}
