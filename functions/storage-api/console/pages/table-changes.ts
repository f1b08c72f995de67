import { z } from 'zod'
import { parseCsvDialect } from '#lib/table-engine/csv/csv-dialect.ts'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { isLoadSetting, metadataOfSettings } from '#lib/wire/load-settings.ts'
import { metadatumBody } from '#lib/wire/metadatum-body.ts'
import { tableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, path, Refusal } from '../api-client.ts'
import { asJob } from '../job-started.ts'
import { tablePath } from '../links.tsx'
import { form, type Said } from '../route.ts'
import { conditionsOf, readChoice } from '../row-choice.ts'

const TABLE = '/console/tables/:id'

/** Throws `Refusal` unless the form has the id of the table that is to lose its rows. */
const requireTyped = (typed = '', id: string): void => {
  if (typed.trim() !== id) throw new Refusal(400, `Type ${id} to confirm. Nothing was done.`)
}

/** So that what a form does can be undone. Jobs of one table run in their order. */
const keep = (client: ApiClient, id: string, description: string): Promise<JobBody> =>
  client.send('POST', path`tables/${id}/snapshots`, { description }, jobBody)

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
const saidWithUndo = (text: string, id: string, kept: JobBody | undefined, isGone = ''): Said => ({
  text,
  ...(kept && { undo: { action: `${tablePath(id)}/undo`, fields: { kept: String(kept.id), isGone } } }),
})

const snapshotOf = z.object({ id: z.union([z.string(), z.number()]) })

/** Of a job that keeps a snapshot. Throws `Refusal` before it is kept. */
const keptBy = async (client: ApiClient, jobId = ''): Promise<string | number> => {
  if (jobId === '') throw new Refusal(400, 'Nothing says which snapshot. Nothing was done.')
  const { status, results } = await client.get(path`jobs/${jobId}`, jobBody)
  if (status !== 'success') throw new Refusal(409, 'The snapshot is not kept yet. Go back and try it again.')
  return snapshotOf.parse(results).id
}

/** Puts the rows of a snapshot in place of those of its table. */
const restore = (client: ApiClient, id: string, snapshot: string | number, said?: Said) =>
  asJob(client, 'POST', path`tables/${id}/snapshots/${snapshot}/restore`, {}, said)

/** Makes a table of a snapshot, in the bucket of its own. @param name default: its old one, for it is gone */
const copy = (client: ApiClient, id: string, snapshotId: string | number, name?: string, said?: Said) => {
  const dot = Math.max(0, id.lastIndexOf('.'))
  const body = { name: name ?? id.slice(dot + 1), snapshotId }
  return asJob(client, 'POST', path`buckets/${id.slice(0, dot)}/tables-async`, body, said)
}

export const tableForms = [
  form(`${TABLE}/rename`, ({ client, params: { id }, form: { displayName = '' } }) =>
    asJob(client, 'PUT', path`tables/${id}?async=1`, { displayName }),
  ),
  form(`${TABLE}/loads`, async ({ client, params: { id }, form: sent }) => {
    parseCsvDialect({ delimiter: sent['delimiter'] || undefined, enclosure: sent['enclosure'] || undefined })
    const place = path`tables/${id}/metadata`
    const settings = metadataOfSettings(sent)
    const before = (await client.list(place, metadatumBody)).filter(isLoadSetting)
    if (settings.metadata.length > 0) await client.send('POST', place, settings)
    for (const { id: metadatum, key } of before)
      if (!settings.metadata.some(each => each.key === key))
        await client.send('DELETE', place + path`/${metadatum}`)
    return { redirect: `${tablePath(id)}/settings`, said: { text: 'Files that land now load so.' } }
  }),
  form(`${TABLE}/truncate`, async ({ client, params: { id }, form: { typed } }) => {
    requireTyped(typed, id)
    const kept = await keepIfAllowed(client, id, 'Before all rows were deleted')
    const said = saidWithUndo('All rows go.', id, kept)
    return asJob(client, 'DELETE', path`tables/${id}/rows?allowTruncate=1`, {}, said)
  }),
  form(`${TABLE}/rows/delete`, async ({ client, params: { id }, form: { expected = '', ...sent } }) => {
    const choice = readChoice(sent)
    if (choice.filters.length === 0) throw new Refusal(400, 'Nothing says which rows. Nothing was done.')
    const where = conditionsOf(choice)
    const kept = await keep(client, id, `Before ${expected} rows were deleted`)
    const said = saidWithUndo(`${expected || 'The'} rows go.`, id, kept)
    return asJob(client, 'DELETE', path`tables/${id}/rows`, { where }, said)
  }),
  form(`${TABLE}/delete`, async ({ client, params: { id }, form: { typed } }) => {
    requireTyped(typed, id)
    const { isAlias } = await client.get(path`tables/${id}`, tableBody)
    if (isAlias) {
      await client.send('DELETE', path`tables/${id}`)
      return { redirect: '/console/tables', said: { text: 'The alias was deleted.' } }
    }
    const kept = await keepIfAllowed(client, id, 'Before the table was deleted')
    const said = saidWithUndo('The table goes.', id, kept, '1')
    return asJob(client, 'DELETE', path`tables/${id}?async=1`, {}, said)
  }),
  form(`${TABLE}/undo`, async ({ client, params: { id }, form: { kept, isGone } }) => {
    const snapshot = await keptBy(client, kept)
    const said = { text: 'The table comes back as it was.' }
    return isGone === '1' ? copy(client, id, snapshot, undefined, said) : restore(client, id, snapshot, said)
  }),
  form(`${TABLE}/snapshots`, ({ client, params: { id }, form: { description = '' } }) =>
    asJob(client, 'POST', path`tables/${id}/snapshots`, { description }),
  ),
  form(`${TABLE}/snapshots/:snapshot/restore`, async ({ client, params: { id, snapshot } }) => {
    await keep(client, id, 'Before a snapshot was restored')
    return restore(client, id, snapshot)
  }),
  form(`${TABLE}/snapshots/:snapshot/copy`, ({ client, params: { id, snapshot }, form: { name = '' } }) =>
    copy(client, id, snapshot, name),
  ),
]
