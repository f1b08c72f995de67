import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '#lib/paths/is-missing.ts'
import { DATA_FORMAT } from '#lib/storage/db/data-format.ts'
import type { DurableFiles } from '../durable/durable-files.ts'

/** What a folder holds once something was stored in it. Locks, logs and unfinished files count for nothing. */
const DATA_NAMES: ReadonlySet<string> = new Set(['root-credentials.json', 'items', 's3'])

/**
 * Rejects when the data directory has another form than this version's. One without data gets the mark, durably and
 * before anything else is stored: so a first start that was killed may be repeated.
 */
export const markDataFormat = async (folder: string, files: DurableFiles): Promise<void> => {
  const path = join(folder, 'format')
  const found = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (found?.trim() === String(DATA_FORMAT)) return
  if (found === undefined && !(await readdir(folder)).some(name => DATA_NAMES.has(name)))
    return files.writeWhole(path, `${DATA_FORMAT}\n`)
  throw new Error(
    `The data directory ${folder} was written by another version of Millrace (its format is ` +
      `${found?.trim() ?? 'not noted'}; this version reads ${DATA_FORMAT}). Start that version to use or export it, ` +
      'or start this one with another data directory (MILLRACE_DATA_DIR), or remove this one.',
  )
}
