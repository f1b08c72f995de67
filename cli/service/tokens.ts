import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { newTokenBody, tokenBody } from '../../functions/lib/wire/token-body.ts'
import { path } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { flag, listOption, number, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'

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

export const tokens = serviceCommand({
  description: 'list tokens',
  options: serviceOptions,
  run: async ({ api, out }) => {
    out.list(await api.get('tokens', z.array(token)), {
      ID: each => each.id,
      DESCRIPTION: each => each.description,
      CREATED: each => formatTime(each.created),
      EXPIRES: each => formatTime(each.expires),
      RIGHTS: rightsOf,
    })
  },
  commands: {
    create: serviceCommand({
      description: 'make a token; its value is shown once',
      options: {
        description: option('<text>', 'what it is for', { isRequired: true }),
        bucket: listOption('<bucket=right>', 'read or write of a bucket'),
        component: listOption('<id>', 'a component whose configurations it may use'),
        manageBuckets: flag('all rights on all buckets'),
        expiresIn: number('<seconds>', 'when it ends (default: never)'),
      },
      run: async ({ api, out, flags }) => {
        const { description, bucket, component, manageBuckets, expiresIn } = flags
        const made = await api.send('POST', 'tokens', newToken, {
          description,
          bucketPermissions: bucket && permissionsOf(bucket),
          componentAccess: component,
          canManageBuckets: manageBuckets,
          expiresIn,
        })
        out.show(made, () => out.fields({ id: made.id, token: made.token }))
      },
    }),
    delete: serviceCommand({
      description: 'end a token',
      args: { '<id>': '' },
      run: async ({ api, out }, id) => {
        await api.delete(path`tokens/${id}`)
        out.show({ deleted: [id] }, `The token ${id} is deleted.`)
      },
    }),
  },
})

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
