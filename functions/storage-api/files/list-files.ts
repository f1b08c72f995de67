import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { expiryOf, type FileRecord } from '../../lib/storage/files/file-store.ts'
import { maySeeFile } from '../../lib/storage/files/may-see-file.ts'
import { fileBody } from '../../lib/wire/file-body.ts'
import { flag, integer, text, textList } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { parseFileQuery } from './file-query.ts'
import { fileResource } from './file-resource.ts'

const query = z.object({
  limit: integer({ min: 1, max: 10_000 }).default(100),
  offset: integer().default(0),
  tags: textList().default([]),
  sinceId: integer().optional(),
  maxId: integer({ min: 1 }).optional(),
  runId: text().optional(),
  q: text().optional(),
  showExpired: flag().default(false),
  isPublic: z.unknown().optional().openapi({ type: 'boolean' }),
})

/** Files, newest first. With several `tags[]`, those that have at least one of them. */
export const listFiles = defineRoute({
  method: 'get',
  path: '/v2/storage/files',
  summary: 'List files',
  tag: 'files',
  query,
  replies: { 200: 'The files', 400: '`query.syntax`: the search cannot be understood' },
  reply: z.array(fileBody),
  handle: async ({ query, caller }, { files, fileAccess, now }) => {
    const { limit, offset, tags, sinceId, maxId, runId, q, showExpired } = query
    refuseIsPublic(query.isPublic)
    const isFound = parseFileQuery(q ?? '')
    const today = now()
    const isListed = (file: FileRecord): boolean => {
      const hasTag = tags.length === 0 || tags.some(tag => file.tags.includes(tag))
      const isOfRun = runId === undefined || file.runId === runId || file.runIds.includes(runId)
      const isShown = maySeeFile(caller, file) && (showExpired || !isExpired(file, today))
      return hasTag && isOfRun && isShown && isFound(file)
    }
    const show = (file: FileRecord) => fileResource(file, fileAccess)
    return ok(await page(files.list({ sinceId, maxId }), { limit, offset, isListed, show }))
  },
})

/** The documented API has this parameter, and refuses every value of it in these words. */
const refuseIsPublic = (value: unknown): void => {
  if (value === undefined) return
  if (!flag().safeParse(value).success)
    throw new UserError(
      'storage.validation',
      `Invalid request:\n - isPublic: "${String(value).slice(0, 100)}" is not boolean. Possible values are true, false, 1, 0.`,
    )
  throw new UserError('notImplemented', 'FileListFilter is not yet implemented')
}

const isExpired = (file: FileRecord, today: Date): boolean => (expiryOf(file) ?? today) < today
