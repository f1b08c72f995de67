import { expect, it } from 'vitest'
import { runMillrace } from '../support/millrace.ts'
import { json, startScriptedServer } from '../support/scripted-server.ts'

it('status of a service that keeps no dead letters names the jobs that failed', async () => {
  const api = await startScriptedServer()
  const failed = {
    id: 7,
    status: 'error',
    operationName: 'tableImport',
    tableId: 'in.c-shop.orders',
    operationParams: {},
    results: null,
    endTime: '2026-11-28T08:00:00+0000',
    error: { code: 'storage.invalid', message: 'Line 2 has 3 cells.' },
  }
  const answers: Readonly<Record<string, unknown>> = {
    '/v2/storage': { revision: 'x' },
    '/v2/storage/tokens/verify': { id: '1', description: 'token of the test' },
    '/v2/storage/tables': [],
    '/v2/storage/jobs': [failed, { ...failed, id: 6, status: 'success', error: null }],
  }
  try {
    api.replyWith((response, request) => {
      const { pathname } = new URL(request.url, 'http://a')
      const found = answers[pathname.replace(/\/$/, '')]
      json(found === undefined ? 404 : 200, found ?? { error: 'none' })(response, request)
    })
    const environment = { MILLRACE_URL: api.url, MILLRACE_TOKEN: 'token' }
    const { stdout, code, stderr } = await runMillrace(['status', '--json'], { environment })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      jobs: { success: 1, error: 1 },
      deadLetters: null,
      failedRuns: null,
      failures: [{ subject: 'in.c-shop.orders', message: 'Line 2 has 3 cells.' }],
    })
  } finally {
    await api.close()
  }
})
