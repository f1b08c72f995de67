import { z } from 'zod'
import { idIn, Refusal } from './api-client.ts'
import type { ActionRoute } from './built.ts'
import { configurationPage, configurationPath } from './pages.tsx'
import { anything, jobSchema, tokenSchema } from './schemas.ts'
import { tokensPage } from './tokens-page.tsx'
import { pathOf } from './views/configurations.tsx'

const CONFIGURATION = '/console/configurations/:component/:id'
const made = z.object({ token: z.string() }).and(tokenSchema)

export const actions: readonly ActionRoute[] = [
  {
    path: '/console/tables/:id/export',
    at: '/console/tables',
    act: async (client, { params, form }) => {
      const path = `tables/${idIn(params)}/export-async`
      const job = await client.send('POST', path, { gzip: form['gzip'] === '1' }, jobSchema)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: CONFIGURATION,
    at: '/console/configurations',
    act: async (client, { params, form }) => {
      const { component = '', id = '' } = params
      const { configuration = '', changeDescription = '' } = form
      try {
        const body = { configuration: parseObject(configuration), changeDescription }
        await client.send('PUT', configurationPath(component, id), body, anything)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return configurationPage(client, params, { text: configuration, problem: error.message })
      }
      return { redirect: pathOf(component, id) }
    },
  },
  {
    path: `${CONFIGURATION}/run`,
    at: '/console/configurations',
    act: async (client, { params }) => {
      const { component = '', id = '' } = params
      const job = await client.send('POST', `${configurationPath(component, id)}/run`, {}, jobSchema)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: `${CONFIGURATION}/versions/:version/rollback`,
    at: '/console/configurations',
    act: async (client, { params }) => {
      const { component = '', id = '', version = '' } = params
      const path = `${configurationPath(component, id)}/versions/${encodeURIComponent(version)}/rollback`
      await client.send('POST', path, {}, anything)
      return { redirect: pathOf(component, id) }
    },
  },
  {
    path: '/console/dead-letters/redrive',
    at: '/console/dead-letters',
    act: async client => {
      await client.send('POST', 'dead-letters/redrive', {}, anything)
      return { redirect: '/console/dead-letters' }
    },
  },
  {
    path: '/console/dead-letters/:id/redrive',
    at: '/console/dead-letters',
    act: async (client, { params }) => {
      await client.send('POST', `dead-letters/${idIn(params)}/redrive`, {}, anything)
      return { redirect: '/console/dead-letters' }
    },
  },
  {
    path: '/console/dead-letters/:id/delete',
    at: '/console/dead-letters',
    act: async (client, { params }) => {
      await client.send('DELETE', `dead-letters/${idIn(params)}`, {}, anything)
      return { redirect: '/console/dead-letters' }
    },
  },
  {
    path: '/console/files/:id/delete',
    at: '/console/files',
    act: async (client, { params }) => {
      await client.send('DELETE', `files/${idIn(params)}`, {}, anything)
      return { redirect: '/console/files' }
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
      const { token } = await client.send('POST', 'tokens', body, made)
      return tokensPage(client, token)
    },
  },
  {
    path: '/console/tokens/:id/delete',
    at: '/console/tokens',
    act: async (client, { params }) => {
      await client.send('DELETE', `tokens/${idIn(params)}`, {}, anything)
      return { redirect: '/console/tokens' }
    },
  },
]

/** @throws Refusal when the text is no JSON object */
const parseObject = (text: string): object => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Refusal(400, `This is not valid JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'A configuration is a JSON object.')
  return value
}
