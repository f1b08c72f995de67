import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import { type Log, readOrMake } from '../durable/records.ts'
import { tokenSecretArn } from './names.ts'
import { ServiceError } from './service-error.ts'

interface SecretOptions {
  /** In place of the one that is made, and not kept. Default: made once and kept. */
  readonly token?: string | undefined
  /** Part of a token that is made. */
  readonly projectId: string
  readonly files?: DurableFiles
  readonly log?: Log
}

/** The secret of the master token, kept in the data directory, readable by its owner only. */
export const openSecrets = async (
  folder: string,
  { token, projectId, files = new DurableFiles(), log = () => {} }: SecretOptions,
): Promise<{ value: string; read: ReadSecret }> => {
  const make = () => madeToken(projectId)
  const kept = () => readOrMake(files, join(folder, 'token.secret'), { parse: readJson, make, log })
  const value = token ?? (await kept()).value
  return {
    value,
    read: async (arn, stage) => {
      if (arn !== tokenSecretArn)
        throw new ServiceError('ResourceNotFoundException', `There is no secret ${arn.slice(0, 200)}.`)
      return stage === 'AWSCURRENT' ? { text: value, createdAt: 0 } : undefined
    },
  }
}

/** Throws on what a write cut short would leave. */
const readJson = (text: string): string => {
  JSON.parse(text)
  return text
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** As Secrets Manager makes it in an account (infra/storage-endpoint.ts). */
const madeToken = (projectId: string): string => {
  const secret = Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return JSON.stringify({ projectId, tokenId: '1', secret })
}
