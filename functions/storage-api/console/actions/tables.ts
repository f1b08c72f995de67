import { z } from 'zod'
import { jobBody } from '#lib/wire/job-body.ts'
import { tableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, idIn, Refusal } from '../api-client.ts'
import type { ActionRoute } from '../built.ts'
import { conditionsOf, readChoice } from '../row-filters.ts'
import { typesOf } from '../table-rows.ts'

const at = '/console/tables'

/** Throws `Refusal` unless the form has the id of the table that is to lose its rows. */
const requireTyped = (typed = '', id = ''): void => {
  if (typed.trim() !== id) throw new Refusal(400, `Type ${id} to confirm. Nothing was done.`)
}

/** So that what a form does can be undone. Jobs of one table run in their order. */
const keep = (client: ApiClient, params: Record<string, string>, description: string) =>
  client.send('POST', `tables/${idIn(params)}/snapshots`, { description }, jobBody)

export const tableActions: readonly ActionRoute[] = [
  {
    path: '/console/tables/:id/rename',
    at,
    act: async (client, { params, form: { displayName = '' } }) => {
      const job = await client.send('PUT', `tables/${idIn(params)}?async=1`, { displayName }, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: '/console/tables/:id/truncate',
    at,
    act: async (client, { params, form }) => {
      requireTyped(form['typed'], params['id'])
      const job = await client.send('DELETE', `tables/${idIn(params)}/rows?allowTruncate=1`, {}, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: '/console/tables/:id/rows/delete',
    at,
    act: async (client, { params, form }) => {
      const choice = readChoice(form)
      if (choice.filters.length === 0) throw new Refusal(400, 'Nothing says which rows. Nothing was done.')
      const table = await client.get(`tables/${idIn(params)}`, tableBody)
      const whereFilters = conditionsOf(choice, await typesOf(client, table))
      await keep(client, params, `Before ${form['expected'] ?? ''} rows were deleted`)
      const job = await client.send('DELETE', `tables/${idIn(params)}/rows`, { whereFilters }, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: '/console/tables/:id/delete',
    at,
    act: async (client, { params, form }) => {
      requireTyped(form['typed'], params['id'])
      await client.send('DELETE', `tables/${idIn(params)}`, {}, z.unknown())
      return { redirect: at }
    },
  },
  {
    path: '/console/tables/:id/snapshots',
    at,
    act: async (client, { params, form: { description = '' } }) => {
      const path = `tables/${idIn(params)}/snapshots`
      const job = await client.send('POST', path, { description }, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: '/console/tables/:id/snapshots/:snapshot/restore',
    at,
    act: async (client, { params }) => {
      await keep(client, params, 'Before a snapshot was restored')
      const snapshot = encodeURIComponent(params['snapshot'] ?? '')
      const path = `tables/${idIn(params)}/snapshots/${snapshot}/restore`
      const job = await client.send('POST', path, {}, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
  {
    path: '/console/tables/:id/snapshots/:snapshot/copy',
    at,
    act: async (client, { params, form: { name = '' } }) => {
      const { id = '', snapshot = '' } = params
      const bucket = id.slice(0, Math.max(0, id.lastIndexOf('.')))
      const path = `buckets/${encodeURIComponent(bucket)}/tables-async`
      const job = await client.send('POST', path, { name, snapshotId: snapshot }, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
]
