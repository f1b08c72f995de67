import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { hexDigest } from '#lib/digests.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecord, removeUnfinished } from '../../durable/records.ts'
import type { SecretProperties } from '../resources/access.ts'
import { ServiceError } from '../service-error.ts'

interface SecretDefinition {
  readonly name: string
  readonly arn: string
  readonly properties: SecretProperties
}

interface Secret {
  readonly name: string
  readonly arn: string
  readonly value: string
  /** The version before this one, and when it was replaced. */
  readonly previous: Previous | undefined
  /** The runtime was told the value, and stores no other. */
  readonly isFixed: boolean
}

const previousRecord = z.object({ value: z.string(), replacedAt: z.number() })

type Previous = z.infer<typeof previousRecord>

/** Secrets of the template. A generated value is made once and kept in the data directory, readable by its owner only. */
export class Secrets {
  readonly #secrets: Secret[]
  readonly #place: SecretFolder

  private constructor(secrets: Secret[], place: SecretFolder) {
    this.#secrets = secrets
    this.#place = place
  }

  /** `fixed` gives values by ARN that take the place of generated ones. */
  static async open(
    folder: string,
    definitions: readonly SecretDefinition[],
    fixed: ReadonlyMap<string, string>,
    { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
  ): Promise<Secrets> {
    await files.makeFolder(folder)
    await removeUnfinished(files, folder)
    const place = { folder, files, log }
    const secrets = await Promise.all(
      definitions.map(async ({ name, arn, properties }) => ({
        name,
        arn,
        value: fixed.get(arn) ?? (await secretValue(place, name, properties)),
        previous: fixed.has(arn) ? undefined : await readPrevious(place, name),
        isFixed: fixed.has(arn),
      })),
    )
    return new Secrets(secrets, place)
  }

  /** Makes a value the present one. The version before is written first: a crash in between changes nothing. */
  async put(arn: string, value: string): Promise<void> {
    const secret = this.find(arn)
    if (secret.isFixed)
      throw new ServiceError(
        'InvalidRequestException',
        'The value of this secret was given at the start (MILLRACE_TOKEN): start with another one.',
      )
    const { files } = this.#place
    const previous = { value: secret.value, replacedAt: Date.now() }
    await files.writeWhole(pathOf(this.#place, secret.name, 'previous'), JSON.stringify(previous))
    await files.writeWhole(pathOf(this.#place, secret.name, 'secret'), value)
    this.#secrets[this.#secrets.indexOf(secret)] = { ...secret, value, previous }
  }

  readonly read: ReadSecret = async (arn, stage) => {
    const { value, previous } = this.find(arn)
    if (stage === 'AWSPREVIOUS') return previous && { text: previous.value, createdAt: 0 }
    return { text: value, createdAt: previous?.replacedAt ?? 0 }
  }

  find(secretArn: string): Secret {
    const found = this.#secrets.find(({ arn }) => arn === secretArn)
    if (found) return found
    throw new ServiceError('ResourceNotFoundException', `There is no secret ${secretArn.slice(0, 200)}.`)
  }
}

interface SecretFolder {
  readonly folder: string
  readonly files: DurableFiles
  readonly log: Log
}

const secretValue = async (
  { folder, files, log }: SecretFolder,
  name: string,
  { GenerateSecretString }: SecretProperties,
): Promise<string> => {
  const path = pathOf({ folder }, name, 'secret')
  const kept = await readRecord(files, path, readSecret, log)
  if (kept !== undefined) return kept
  const value = generateSecret(GenerateSecretString)
  await files.writeWhole(path, value)
  return value
}

const pathOf = ({ folder }: Pick<SecretFolder, 'folder'>, name: string, ending: 'secret' | 'previous') =>
  join(folder, `${hexDigest(name, 32)}.${ending}`)

const readPrevious = ({ folder, files, log }: SecretFolder, name: string): Promise<Previous | undefined> =>
  readRecord(files, pathOf({ folder }, name, 'previous'), text => previousRecord.parse(JSON.parse(text)), log)

/** Throws on what a write cut short would leave. */
const readSecret = (text: string): string => {
  JSON.parse(text)
  return text
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** A value as `GenerateSecretString` describes it: a JSON template with a random text under a key. */
const generateSecret = ({
  PasswordLength,
  SecretStringTemplate,
  GenerateStringKey,
}: SecretProperties['GenerateSecretString']): string => {
  const text = Array.from({ length: PasswordLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return JSON.stringify({ ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: text })
}
