import { expect, it } from 'vitest'
import { errorReply } from '#functions/storage-api/http/failure.ts'
import type { Log } from '#functions/storage-api/services/services.ts'
import { foreignCode } from '#lib/errors/codes.ts'
import { TransientError, UserError } from '#lib/errors/errors.ts'

const collect = () => {
  const lines: Record<string, unknown>[] = []
  const write = (_message: string, extra: Record<string, unknown>) => void lines.push(extra)
  const log: Log = { info: write, error: write }
  return { lines, log }
}

it('a missing token has a code in the log and none in the reply', async () => {
  const { lines, log } = collect()
  const reply = errorReply(new UserError('storage.tokenMissing', 'Access token must be set'), log)
  expect(reply.status).toBe(401)
  expect(await reply.json()).not.toHaveProperty('code')
  expect(lines).toMatchObject([{ code: 'storage.tokenMissing', status: 401 }])
})

it('a code of the catalogue brings its status', async () => {
  const reply = errorReply(new UserError('storage.tables.notFound', 'No such table'), collect().log)
  expect([reply.status, await reply.json()]).toMatchObject([404, { code: 'storage.tables.notFound' }])
})

it('what may pass is a 503 that says when to come back', async () => {
  const reply = errorReply(
    new TransientError('storage.tables.busy', 'Busy', { retryAfterSeconds: 4 }),
    collect().log,
  )
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '4'])
})

it('a code of another service keeps the status that came with it', async () => {
  const error = new UserError(foreignCode('rowTooLarge'), 'Too large', { status: 422 })
  const reply = errorReply(error, collect().log)
  expect([reply.status, await reply.json()]).toMatchObject([422, { code: 'rowTooLarge' }])
})
