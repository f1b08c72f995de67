import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { DurableFiles } from '../durable/durable-files.ts'
import { isDirectoryLocked } from './directory-lock.ts'

const fileName = 'endpoints.json'

const schema = z.object({
  pid: z.number().int(),
  api: z.string(),
  s3: z.string(),
  /** Where commands of the owner ask; see `controlOf`. */
  control: z.string(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  /** The stack's outputs by name. */
  outputs: z.record(z.string(), z.string()),
})

/** Where a running embedded cloud is, for other processes of its owner. */
export type RunningCloud = z.infer<typeof schema>

/** Readable by the owner only: it holds the account's own key. */
export const announceCloud = (files: DurableFiles, dataDir: string, cloud: RunningCloud): Promise<void> =>
  files.writeWhole(join(dataDir, fileName), JSON.stringify(cloud, null, 2))

export const withdrawCloud = (files: DurableFiles, dataDir: string): Promise<void> =>
  files.remove(join(dataDir, fileName))

/** Finds the cloud that runs on a data directory; an announcement whose process is gone counts as none. */
export const findRunningCloud = async (dataDir: string): Promise<RunningCloud | undefined> => {
  const folder = resolve(dataDir)
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined)
  // Its process may have died without withdrawing it, and its process id may belong to another one now.
  return text === undefined || !isDirectoryLocked(folder) ? undefined : readAnnouncement(text)
}

/** Nothing when it is not whole: a cloud that runs would have written it anew. */
const readAnnouncement = (text: string): RunningCloud | undefined => {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
