import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'))

/** All temporary files of the tests, and of the processes that they start, are in one folder that ends with the run. */
export const setup = (): void => {
  process.env.TMPDIR = folder
}

export const teardown = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
