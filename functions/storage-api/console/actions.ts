import * as z from 'zod/mini'
import { redrivenAllBody } from '../../lib/wire/dead-letter-body.ts'
import { newTokenBody } from '../../lib/wire/token-body.ts'
import { configurationActions } from './actions/configurations.ts'
import { tableActions } from './actions/tables.ts'
import { idIn } from './api-client.ts'
import type { ActionRoute } from './built.ts'
import { newConfigurationActions } from './pages/new-configuration.tsx'
import { queryActions } from './pages/query.tsx'
import { tokensPage } from './tokens-page.tsx'

const cancel = (kind: 'jobs' | 'runs'): ActionRoute => ({
  path: `/console/${kind}/:id/cancel`,
  at: '/console/jobs',
  act: async (client, { params }) => {
    await client.send('POST', `${kind}/${idIn(params)}/cancel`, {}, z.unknown())
    return {
      redirect: `/console/${kind}/${idIn(params)}`,
      said: { text: 'It stops at the next page or slice; nothing is half loaded.' },
    }
  },
})

export const actions: readonly ActionRoute[] = [
  ...tableActions,
  ...queryActions,
  ...newConfigurationActions,
  ...configurationActions,
  {
    path: '/console/dead-letters/redrive',
    at: '/console/dead-letters',
    act: async client => {
      const { redriven, refused } = await client.send('POST', 'dead-letters/redrive', {}, redrivenAllBody)
      const kept = refused.length === 0 ? '' : `, ${refused.length} stay: they cannot be started again`
      return { redirect: '/console/dead-letters', said: { text: `${redriven.length} started again${kept}.` } }
    },
  },
  {
    path: '/console/dead-letters/:id/redrive',
    at: '/console/dead-letters',
    act: async (client, { params, form: { version = 'same' } }) => {
      await client.send('POST', `dead-letters/${idIn(params)}/redrive`, { version }, z.unknown())
      return { redirect: '/console/dead-letters', said: { text: 'It was started again: see jobs and runs.' } }
    },
  },
  {
    path: '/console/dead-letters/:id/delete',
    at: '/console/dead-letters',
    act: async (client, { params }) => {
      await client.send('DELETE', `dead-letters/${idIn(params)}`, {}, z.unknown())
      return { redirect: '/console/dead-letters', said: { text: 'The letter was deleted.' } }
    },
  },
  cancel('jobs'),
  cancel('runs'),
  {
    path: '/console/files/:id/delete',
    at: '/console/files',
    act: async (client, { params }) => {
      await client.send('DELETE', `files/${idIn(params)}`, {}, z.unknown())
      return { redirect: '/console/files', said: { text: 'The file was deleted.' } }
    },
  },
  {
    path: '/console/tokens',
    at: '/console/tokens',
    act: async (client, { form }) => {
      const { description = '', hours = '', bucket = '', permission = 'read', canManageBuckets } = form
      const body = {
        description,
        canManageBuckets: canManageBuckets === '1',
        ...(hours === '' ? {} : { expiresIn: Number(hours) * 3600 }),
        ...(bucket === '' ? {} : { bucketPermissions: { [bucket]: permission } }),
      }
      const { token } = await client.send('POST', 'tokens', body, newTokenBody)
      return tokensPage(client, token)
    },
  },
  {
    path: '/console/tokens/:id/delete',
    at: '/console/tokens',
    act: async (client, { params }) => {
      await client.send('DELETE', `tokens/${idIn(params)}`, {}, z.unknown())
      return { redirect: '/console/tokens', said: { text: 'The token was deleted.' } }
    },
  },
]
