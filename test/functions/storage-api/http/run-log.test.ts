import { expect, it } from 'vitest'
import { answerForRun } from '#functions/storage-api/http/run-log.ts'

const answered = async (method: string, status: number) => {
  const lines: Record<string, unknown>[] = []
  const note = (message: string, extra: Record<string, unknown>) => void lines.push({ message, ...extra })
  const route = '/v2/storage/files/prepare'
  await answerForRun({ info: note, error: note }, { runId: 'run-7', method, route }, async log => {
    log.info('request refused', { code: 'storage.validation' })
    log.error('request failed', { exceptionId: 'e' })
    return new Response(null, { status })
  })
  return lines
}
const run = { correlationId: 'run-7', route: '/v2/storage/files/prepare' }

it('every line that a request of a run writes names the run', async () =>
  expect(await answered('GET', 200)).toEqual([
    { message: 'request refused', code: 'storage.validation', method: 'GET', ...run },
    { message: 'request failed', exceptionId: 'e', method: 'GET', ...run },
  ]))

it.each([
  ['POST', 200],
  ['PUT', 400],
  ['DELETE', 204],
])('a %s of a run has a line of its own, with the status %i', async (method, status) =>
  expect((await answered(method, status)).at(-1)).toEqual({
    message: 'request answered',
    method,
    status,
    seconds: expect.any(Number),
    ...run,
  }),
)
