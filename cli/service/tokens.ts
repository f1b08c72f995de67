import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { newTokenBody, tokenBody } from '../../functions/lib/wire/token-body.ts'
import { segment, wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, listOption, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { onService } from './on-service.ts'

const token = readsAll(tokenBody, {
  id: true,
  description: true,
  created: false,
  expires: false,
  isMasterToken: true,
  canManageBuckets: true,
  bucketPermissions: z.unknown(),
})
const newToken = readsAll(newTokenBody, { id: true, token: true })

interface CreateFlags {
  description: string
  bucket?: string[]
  component?: string[]
  manageBuckets?: boolean
  expiresIn?: string
}

export const tokens: Command = {
  description: 'list tokens',
  options: serviceOptions,
  run: onService(async ({ api, out }) => {
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
  }),
  commands: {
    create: {
      description: 'make a token; its value is shown once',
      options: [
        option('--description <text>', 'what it is for').makeOptionMandatory(),
        listOption('--bucket <bucket=right>', 'read or write of a bucket'),
        listOption('--component <id>', 'a component whose configurations it may use'),
        option('--manage-buckets', 'all rights on all buckets'),
        option('--expires-in <seconds>', 'when it ends (default: never)'),
      ],
      run: onService<CreateFlags>(async ({ api, out, flags }) => {
        const made = await api.send('POST', 'tokens', newToken, {
          description: flags.description,
          ...(flags.bucket && { bucketPermissions: permissionsOf(flags.bucket) }),
          ...(flags.component && { componentAccess: flags.component }),
          ...(flags.manageBuckets && { canManageBuckets: true }),
          ...(flags.expiresIn !== undefined && { expiresIn: wholeNumber(flags.expiresIn) }),
        })
        out.show(made, () => out.fields({ id: made.id, token: made.token }))
      }),
    },
    delete: {
      description: 'end a token',
      args: [argument('<id>')],
      run: onService(async ({ api, out }, id) => {
        await api.send('DELETE', `tokens/${segment(id)}`, z.unknown())
        out.show({ deleted: [id] }, () => out.line(`The token ${id} is deleted.`))
      }),
    },
  },
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
  const permissions = z.catch(z.record(z.string(), z.string()), {}).parse(each.bucketPermissions)
  return Object.entries(permissions)
    .map(([bucketId, right]) => `${bucketId}=${right}`)
    .join(', ')
}
