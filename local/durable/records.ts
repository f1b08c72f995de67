import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import { isMissing } from '../../functions/lib/paths/is-missing.ts'
import type { DurableFiles } from './durable-files.ts'

export type Log = (line: string) => void

/**
 * The records of a folder, each a `.json` file of its own. What a write that never ended left behind goes; a record that
 * cannot be read is set aside.
 */
export const readRecords = async <Value>(
  files: DurableFiles,
  folder: string,
  schema: z.ZodType<Value>,
  log: Log,
): Promise<Value[]> => {
  await removeUnfinished(files, folder)
  const names = (await readdir(folder)).filter(name => name.endsWith('.json'))
  const records = await Promise.all(
    names.map(async name =>
      readRecord(files, join(folder, name), text => schema.parse(JSON.parse(text)), log),
    ),
  )
  return records.filter(record => record !== undefined)
}

/** One file's content, as `parse` reads it. Nothing when it is not there, or had to be set aside. */
const readRecord = async <Value>(
  files: DurableFiles,
  path: string,
  parse: (text: string) => Value,
  log: Log,
): Promise<Value | undefined> => {
  const text = await readFile(path, 'utf8').catch(error => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return parse(text)
  } catch {
    const aside = `${path}.unreadable`
    await files.rename(path, aside)
    // Only the name: the content may be a secret.
    log(
      `${path} cannot be read (${text === '' ? 'it is empty' : 'its content is not valid'}); it is set aside as ${aside}`,
    )
    return undefined
  }
}

/** What a file says; it is made, with its folder, when it is not there or had to be set aside. `isNew`: it was made now. */
export const readOrMake = async <Value>(
  files: DurableFiles,
  path: string,
  { parse, make, log }: { parse: (text: string) => Value; make: () => string; log: Log },
): Promise<{ value: Value; isNew: boolean }> => {
  await files.makeFolder(dirname(path))
  await removeUnfinished(files, dirname(path))
  const value = await readRecord(files, path, parse, log)
  if (value !== undefined) return { value, isNew: false }
  const made = make()
  await files.writeWhole(path, made)
  return { value: parse(made), isNew: true }
}

/** Files that were being written when the process ended. They were acknowledged to nobody. */
const removeUnfinished = async (files: DurableFiles, folder: string): Promise<void> => {
  const unfinished = (await readdir(folder)).filter(name => name.endsWith('.tmp'))
  await Promise.all(unfinished.map(name => files.remove(join(folder, name))))
}
