import { z } from 'zod'
import { jobBody } from '#lib/wire/job-body.ts'
import { idIn, Refusal } from '../api-client.ts'
import type { ActionRoute } from '../built.ts'

const at = '/console/tables'

/** Fields of an export for each format of the form. */
const formats: Readonly<Record<string, Record<string, unknown>>> = {
  csv: {},
  gzip: { gzip: true },
  json: { format: 'json' },
  parquet: { fileType: 'parquet' },
}

/** Throws `Refusal` unless the form has the id of the table that is to lose its rows. */
const requireTyped = (typed = '', id = ''): void => {
  if (typed.trim() !== id) throw new Refusal(400, `Type ${id} to confirm. Nothing was done.`)
}

export const tableActions: readonly ActionRoute[] = [
  {
    path: '/console/tables/:id/export',
    at,
    act: async (client, { params, form: { format = 'csv' } }) => {
      const fields = Object.hasOwn(formats, format) ? formats[format] : undefined
      if (fields === undefined) throw new Refusal(400, 'There are the formats csv, gzip, json and parquet.')
      const job = await client.send('POST', `tables/${idIn(params)}/export-async`, fields, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
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
    act: async (client, { params, form: { name = '' } }) => {
      const { id = '', snapshot = '' } = params
      const bucket = id.slice(0, Math.max(0, id.lastIndexOf('.')))
      const path = `buckets/${encodeURIComponent(bucket)}/tables-async`
      const job = await client.send('POST', path, { name, snapshotId: snapshot }, jobBody)
      return { redirect: `/console/jobs/${job.id}` }
    },
  },
]
