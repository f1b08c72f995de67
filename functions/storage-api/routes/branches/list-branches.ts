import { wireDate } from '../../../lib/storage-resources/wire-date.ts'
import { defaultBranch } from '../../branches.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

/** The branches: there is the default one. Clients read its id here and use it in the paths of all other routes. */
export const listBranches = defineRoute({
  method: 'get',
  path: '/v2/storage/dev-branches',
  summary: 'List branches',
  tag: 'branches',
  replies: { 200: 'The branches' },
  handle: async ({ caller }, { project }) =>
    ok([
      {
        ...defaultBranch,
        description: '',
        created: wireDate(await project.created()),
        isDefault: true,
        creatorToken: { id: Number(caller.tokenId), name: caller.description },
      },
    ]),
})
