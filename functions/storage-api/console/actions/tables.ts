import { z } from 'zod'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { tableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, idIn, Refusal } from '../api-client.ts'
import type { ActionRoute, Said } from '../built.ts'
import { conditionsOf, readChoice } from '../row-filters.ts'

const at = '/console/tables'

/** Throws `Refusal` unless the form has the id of the table that is to lose its rows. */
const requireTyped = (typed = '', id = ''): void => {
  if (typed.trim() !== id) throw new Refusal(400, `Type ${id} to confirm. Nothing was done.`)
}

/** So that what a form does can be undone. Jobs of one table run in their order. */
const keep = (client: ApiClient, params: Record<string, string>, description: string) =>
  client.send('POST', `tables/${idIn(params)}/snapshots`, { description }, jobBody)

/** `keep`, of what goes anyhow: where the token may keep no snapshot, nothing undoes it. */
const keepIfAllowed = async (...kept: Parameters<typeof keep>): Promise<JobBody | undefined> => {
  try {
    return await keep(...kept)
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return undefined
    throw error
  }
}

/** The sentence about a job that takes rows away, with the way back to the snapshot that another job keeps before it. */
const saidWithUndo = (
  text: string,
  { id = '' }: Record<string, string>,
  kept: JobBody | undefined,
  fields: Record<string, string> = {},
): Said => ({
  text,
  ...(kept && {
    undo: {
      action: `/console/tables/${encodeURIComponent(id)}/undo`,
      fields: { kept: String(kept.id), ...fields },
    },
  }),
})

/** Of a job that keeps a snapshot. Throws `Refusal` before it is kept. */
const keptBy = async (client: ApiClient, jobId = ''): Promise<string> => {
  if (jobId === '') throw new Refusal(400, 'Nothing says which snapshot. Nothing was done.')
  const { status, results } = await client.get(`jobs/${encodeURIComponent(jobId)}`, jobBody)
  if (status !== 'success') throw new Refusal(409, 'The snapshot is not kept yet. Go back and try it again.')
  return String(snapshotOf.parse(results).id)
}

const snapshotOf = z.object({ id: z.union([z.string(), z.number()]) })

/** A table, under its old name where it is gone, of a snapshot. */
const comesBack = (
  client: ApiClient,
  { id = '', ...rest }: Record<string, string>,
  snapshotId: string,
  isGone: boolean,
): Promise<JobBody> => {
  if (!isGone)
    return client.send(
      'POST',
      `tables/${idIn({ id, ...rest })}/snapshots/${encodeURIComponent(snapshotId)}/restore`,
      {},
      jobBody,
    )
  const dot = id.lastIndexOf('.')
  const path = `buckets/${encodeURIComponent(id.slice(0, Math.max(0, dot)))}/tables-async`
  return client.send('POST', path, { name: id.slice(dot + 1), snapshotId }, jobBody)
}

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
      const kept = await keepIfAllowed(client, params, 'Before all rows were deleted')
      const job = await client.send('DELETE', `tables/${idIn(params)}/rows?allowTruncate=1`, {}, jobBody)
      return {
        redirect: `/console/jobs/${job.id}`,
        said: saidWithUndo('All rows go.', params, kept),
      }
    },
  },
  {
    path: '/console/tables/:id/rows/delete',
    at,
    act: async (client, { params, form }) => {
      const choice = readChoice(form)
      if (choice.filters.length === 0) throw new Refusal(400, 'Nothing says which rows. Nothing was done.')
      const where = conditionsOf(choice)
      const kept = await keep(client, params, `Before ${form['expected'] ?? ''} rows were deleted`)
      const job = await client.send('DELETE', `tables/${idIn(params)}/rows`, { where }, jobBody)
      return {
        redirect: `/console/jobs/${job.id}`,
        said: saidWithUndo(`${form['expected'] || 'The'} rows go.`, params, kept),
      }
    },
  },
  {
    path: '/console/tables/:id/delete',
    at,
    act: async (client, { params, form }) => {
      requireTyped(form['typed'], params['id'])
      const { isAlias } = await client.get(`tables/${idIn(params)}`, tableBody)
      if (isAlias) {
        await client.send('DELETE', `tables/${idIn(params)}`, {}, z.unknown())
        return { redirect: at, said: { text: 'The alias was deleted.' } }
      }
      const kept = await keepIfAllowed(client, params, 'Before the table was deleted')
      const job = await client.send('DELETE', `tables/${idIn(params)}?async=1`, {}, jobBody)
      return {
        redirect: `/console/jobs/${job.id}`,
        said: saidWithUndo('The table goes.', params, kept, { isGone: '1' }),
      }
    },
  },
  {
    path: '/console/tables/:id/undo',
    at,
    act: async (client, { params, form: { kept, isGone } }) => {
      const job = await comesBack(client, params, await keptBy(client, kept), isGone === '1')
      return { redirect: `/console/jobs/${job.id}`, said: { text: 'The table comes back as it was.' } }
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
