import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new temporary folder that is removed when the process ends: synthesis copies what it needs into `cdk.out`. */
export const folderUntilExit = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
