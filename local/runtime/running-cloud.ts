import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isDirectoryLocked } from './directory-lock.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

const fileName = 'endpoints.json'

const schema = z.object({
  pid: z.number().int(),
  api: z.string(),
  s3: z.string(),
  dynamodb: z.string(),
  /** Step Functions, SQS, Secrets Manager, KMS and EventBridge. */
  control: z.string(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  stackName: z.string(),
  /** The stack's outputs by name. */
  outputs: z.record(z.string(), z.string()),
})

/** Where a running embedded cloud is, for other processes of its owner. */
export type RunningCloud = z.infer<typeof schema>

/** Readable by the owner only: it holds the account's own key. */
export const announceCloud = (dataDir: string, cloud: RunningCloud): Promise<void> =>
  writeFileAtomically(join(dataDir, fileName), JSON.stringify(cloud, null, 2))

export const withdrawCloud = (dataDir: string): Promise<void> => rm(join(dataDir, fileName), { force: true })

/** Finds the cloud that runs on a data directory; an announcement whose process is gone counts as none. */
export const findRunningCloud = async (dataDir: string): Promise<RunningCloud | undefined> => {
  const folder = resolve(dataDir)
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined)
  // Its process may have died without withdrawing it, and its process id may be another's by now.
  if (text === undefined || !isDirectoryLocked(folder)) return undefined
  return schema.parse(JSON.parse(text))
}
