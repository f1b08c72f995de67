import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecord, removeUnfinished } from '../../durable/records.ts'
import { tokenSecretArn } from '../names.ts'
import { ServiceError } from '../service-error.ts'

interface SecretsOptions {
  /** In place of the one that is made. Default: made once and kept. */
  readonly token?: string | undefined
  /** Part of a token that is made. */
  readonly projectId: string
  readonly files?: DurableFiles
  readonly log?: Log
}

interface Secret {
  readonly value: string
  /** The version before this one, and when it was replaced. */
  readonly previous: Previous | undefined
}

const previousRecord = z.object({ value: z.string(), replacedAt: z.number() })

type Previous = z.infer<typeof previousRecord>

/** The secret of the master token, kept in the data directory, readable by its owner only. */
export class Secrets {
  #secret: Secret
  /** The runtime was told the value, and stores no other. */
  readonly #isFixed: boolean
  readonly #folder: string
  readonly #files: DurableFiles

  private constructor(
    secret: Secret,
    { isFixed, folder, files }: { isFixed: boolean; folder: string; files: DurableFiles },
  ) {
    this.#secret = secret
    this.#isFixed = isFixed
    this.#folder = folder
    this.#files = files
  }

  static async open(
    folder: string,
    { token, projectId, files = new DurableFiles(), log = () => {} }: SecretsOptions,
  ): Promise<Secrets> {
    await files.makeFolder(folder)
    await removeUnfinished(files, folder)
    if (token !== undefined)
      return new Secrets({ value: token, previous: undefined }, { isFixed: true, folder, files })
    const value = (await readRecord(files, pathOf(folder, 'secret'), readSecret, log)) ?? madeToken(projectId)
    await files.writeWhole(pathOf(folder, 'secret'), value)
    const previous = await readRecord(
      files,
      pathOf(folder, 'previous'),
      text => previousRecord.parse(JSON.parse(text)),
      log,
    )
    return new Secrets({ value, previous }, { isFixed: false, folder, files })
  }

  /** Of the master token. */
  get value(): string {
    return this.#secret.value
  }

  /** Makes a value the present one. The version before is written first: a crash in between changes nothing. */
  async put(arn: string, value: string): Promise<void> {
    refuseOther(arn)
    if (this.#isFixed)
      throw new ServiceError(
        'InvalidRequestException',
        'The value of this secret was given at the start (MILLRACE_TOKEN): start with another one.',
      )
    const previous = { value: this.#secret.value, replacedAt: Date.now() }
    await this.#files.writeWhole(pathOf(this.#folder, 'previous'), JSON.stringify(previous))
    await this.#files.writeWhole(pathOf(this.#folder, 'secret'), value)
    this.#secret = { value, previous }
  }

  readonly read: ReadSecret = async (arn, stage) => {
    refuseOther(arn)
    const { value, previous } = this.#secret
    if (stage === 'AWSPREVIOUS') return previous && { text: previous.value, createdAt: 0 }
    return { text: value, createdAt: previous?.replacedAt ?? 0 }
  }
}

const refuseOther = (arn: string): void => {
  if (arn !== tokenSecretArn)
    throw new ServiceError('ResourceNotFoundException', `There is no secret ${arn.slice(0, 200)}.`)
}

const pathOf = (folder: string, ending: 'secret' | 'previous') => join(folder, `token.${ending}`)

/** Throws on what a write cut short would leave. */
const readSecret = (text: string): string => {
  JSON.parse(text)
  return text
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** As Secrets Manager makes it in an account (infra/storage-endpoint.ts). */
const madeToken = (projectId: string): string => {
  const secret = Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return JSON.stringify({ projectId, tokenId: '1', secret })
}
