import type { Host } from '#lib/cloud/host.ts'
import type { Keys } from '#lib/cloud/keys.ts'
import type { ItemDatabase } from '../../items/item-database.ts'
import type { Executions } from '../../machines/executions.ts'
import { machinesOf } from '../../machines/machines-of.ts'
import type { EmbeddedS3 } from '../../s3/server.ts'
import { InvocationError } from '../lambda/function-error.ts'
import type { Functions } from '../lambda/functions.ts'
import type { Secrets } from '../secrets.ts'

/** What functions ask of this process. */
export const hostOf = ({ items, executions, keys, secrets, functions, s3 }: HostParts): Host => ({
  items: name => items.table(name),
  machines: machinesOf(executions),
  keys,
  readSecret: secrets.read,
  assumeRole: s3.assumeRole,
  invoke: async (name, event) => {
    try {
      return { answer: await functions.invoke(name, event) }
    } catch (error) {
      if (!(error instanceof InvocationError)) throw error
      return { failure: error.details }
    }
  },
})

interface HostParts {
  readonly items: ItemDatabase
  readonly executions: Executions
  readonly keys: Keys
  readonly secrets: Secrets
  readonly functions: Functions
  readonly s3: Pick<EmbeddedS3, 'assumeRole'>
}
