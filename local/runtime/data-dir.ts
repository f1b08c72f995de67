import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isMissing } from '#lib/paths/is-missing.ts'
import { DATA_FORMAT } from '#lib/storage/db/data-format.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import { type Log, readOrMake } from '../durable/records.ts'
import { lockDirectory } from './directory-lock.ts'

/** The one folder that holds everything; one process at a time. */
export interface DataDir {
  /** Absolute. */
  readonly path: string
  /** The account's own key; made at the first start and kept. */
  readonly root: RootCredentials
  /** It was made, or was empty: nothing in it is from an earlier process. */
  readonly isNew: boolean
  release(): void
}

interface DataDirOptions {
  /** How the folder is written. Default: as MILLRACE_DURABILITY says. */
  readonly files?: DurableFiles
  readonly log: (line: string) => void
  /** How long to wait for a process that holds the folder and may be about to end. Default: two seconds. */
  readonly waitMs?: number
}

/**
 * Takes hold of the data directory, making it when it is missing and closing it to everybody but its owner.
 *
 * Rejects when it belongs to another user, when another process holds it, with that process's id, and when another
 * version wrote it.
 */
export const openDataDir = async (
  given: string,
  { files = new DurableFiles(), log, waitMs = 2_000 }: DataDirOptions,
): Promise<DataDir> => {
  const path = resolve(given)
  await mkdir(path, { recursive: true, mode: 0o700 })
  await makePrivate(path, log)
  const release = await lockDirectory(path, waitMs)
  try {
    await markDataFormat(path, files)
    const root = await rootCredentials(join(path, 'root-credentials.json'), files, log)
    return { path, root: root.value, isNew: root.isNew, release }
  } catch (error) {
    release()
    throw error
  }
}

/** The folder holds keys, tokens and everybody's data, and its files rely on it to keep other users of the machine out. */
const makePrivate = async (path: string, log: (line: string) => void): Promise<void> => {
  const { uid, mode } = await stat(path)
  const isOurs = process.getuid === undefined || uid === process.getuid()
  if (!isOurs)
    throw new Error(
      `The data directory ${path} belongs to another user (uid ${uid}), who could read all that is kept in it. ` +
        'Choose another with MILLRACE_DATA_DIR.',
    )
  if ((mode & 0o077) === 0) return
  await chmod(path, 0o700)
  log(`the data directory ${path} was open to other users of this machine: its mode is now 0700`)
}

/** What a folder holds once something was stored in it. Locks, logs and unfinished files count for nothing. */
const DATA_NAMES: ReadonlySet<string> = new Set(['root-credentials.json', 'items', 's3'])

/**
 * Rejects when the data directory has another form than this version's. One without data gets the mark, durably and
 * before anything else is stored: so a first start that was killed may be repeated.
 */
const markDataFormat = async (folder: string, files: DurableFiles): Promise<void> => {
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

const schema = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() })

/** The account's own key. */
type RootCredentials = z.infer<typeof schema>

/** Made at the first start and kept. */
export const rootCredentials = (path: string, files: DurableFiles, log: Log) =>
  readOrMake<RootCredentials>(files, path, {
    parse: text => schema.parse(JSON.parse(text)),
    make: () =>
      JSON.stringify({
        // The form of a real one: some clients check it.
        accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
        secretAccessKey: randomBytes(20).toString('hex'),
      }),
    log,
  })
