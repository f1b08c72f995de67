import type { Command } from 'commander'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { formatTime } from '../output/format-values.ts'
import { addServiceOptions, type ServiceFlags } from '../storage-options.ts'
import { collect, segment, wholeNumber } from './options.ts'
import { flagsOf, runOnService } from './run-on-service.ts'

const token = z.looseObject({
  id: z.coerce.string(),
  description: z.string(),
  created: z.string().nullish(),
  expires: z.string().nullish(),
  isMasterToken: z.boolean().default(false),
  canManageBuckets: z.boolean().default(false),
  bucketPermissions: z.unknown(),
})
const newToken = z.looseObject({ id: z.coerce.string(), token: z.string() })

interface CreateFlags extends ServiceFlags {
  description: string
  bucket?: string[]
  component?: string[]
  manageBuckets?: boolean
  expiresIn?: string
}

export const registerTokens = (program: Command): void => {
  const tokens = addServiceOptions(program.command('tokens'))
    .description('list tokens')
    .action((flags: ServiceFlags) =>
      runOnService(flags, async ({ api, out }) => {
        const found = await api.get('tokens', z.array(token))
        out.show(found, () =>
          out.table(
            ['ID', 'DESCRIPTION', 'CREATED', 'EXPIRES', 'RIGHTS'],
            found.map(each => [
              each.id,
              each.description,
              formatTime(each.created),
              formatTime(each.expires),
              rightsOf(each),
            ]),
          ),
        )
        return undefined
      }),
    )
  tokens
    .command('create')
    .description('make a token; its value is shown once')
    .requiredOption('--description <text>', 'what it is for')
    .option('--bucket <bucket=right>', 'read or write of a bucket; may be given again', collect)
    .option('--component <id>', 'a component whose configurations it may use; may be given again', collect)
    .option('--manage-buckets', 'all rights on all buckets')
    .option('--expires-in <seconds>', 'when it ends (default: never)')
    .action((_flags: object, command: Command) => {
      const flags = flagsOf<CreateFlags>(command)
      return runOnService(flags, async ({ api, out }) => {
        const made = await api.send('POST', 'tokens', newToken, {
          description: flags.description,
          ...(flags.bucket && { bucketPermissions: permissionsOf(flags.bucket) }),
          ...(flags.component && { componentAccess: flags.component }),
          ...(flags.manageBuckets && { canManageBuckets: true }),
          ...(flags.expiresIn !== undefined && { expiresIn: wholeNumber(flags.expiresIn) }),
        })
        out.show(made, () => out.fields({ id: made.id, token: made.token }))
        return undefined
      })
    })
  tokens
    .command('delete')
    .description('end a token')
    .argument('<id>')
    .action((id: string, _flags: object, command: Command) =>
      runOnService(flagsOf<ServiceFlags>(command), async ({ api, out }) => {
        await api.send('DELETE', `tokens/${segment(id)}`, z.unknown())
        out.show({ deleted: [id] }, () => out.line(`The token ${id} is deleted.`))
        return undefined
      }),
    )
}

const permissionsOf = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map(each => {
      const [bucketId, right, ...rest] = each.split('=')
      if (bucketId && right && rest.length === 0) return [bucketId, right]
      throw new UserError('cli.usage', `--bucket ${each}: write it like in.c-main=read.`)
    }),
  )

const rightsOf = (each: z.infer<typeof token>): string => {
  if (each.isMasterToken) return 'master'
  if (each.canManageBuckets) return 'all buckets'
  const permissions = z.record(z.string(), z.string()).catch({}).parse(each.bucketPermissions)
  return Object.entries(permissions)
    .map(([bucketId, right]) => `${bucketId}=${right}`)
    .join(', ')
}
