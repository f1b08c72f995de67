import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkLogs } from '#functions/storage-api/services/work-logs.ts'
import { type StorageService, startStorageService } from '#support/storage-service.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const record = (correlationId: string, second: number, message: string) =>
  JSON.stringify({
    timestamp: new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString(),
    level: 'INFO',
    message,
    service: 'run-job',
    correlationId,
    rows: 3,
  })

let service: StorageService
const folder = folderUntilEnd()
beforeAll(async () => {
  writeFileSync(
    join(folder, 'RunJob.log'),
    `half a line\n${record('job-1', 2, 'job ended')}\n${record('job-11', 3, 'of another')}\nabout job-1, but no record\n`,
  )
  writeFileSync(join(folder, 'PollJob.log'), `${record('job-1', 1, 'job started')}\n`)
  writeFileSync(join(folder, 'notes.txt'), `${record('job-1', 1, 'no log')}\n`)
  service = await startStorageService({ workLogs: createWorkLogs('eu-west-1', folder) })
})
afterAll(() => service.close())

const get = (correlationId: string, headers?: Record<string, string>) =>
  service.call(
    'GET',
    `/v2/storage/logs?correlationId=${encodeURIComponent(correlationId)}`,
    undefined,
    headers,
  )

const messages = (body: { lines: { message: string }[] }) => body.lines.map(({ message }) => message)

describe('log lines', () => {
  it('of a piece of work come from all functions in the order of their times, with their facts', async () => {
    const { status, body } = await get('job-1')
    expect([status, messages(body)]).toEqual([200, ['job started', 'job ended']])
    expect(body).toMatchObject({ isComplete: true, insights: null, lines: [{ rows: 3 }, { rows: 3 }] })
    expect((await get('job-2')).body.lines).toEqual([])
  })

  it('are the newest of many, and the reply says that there are older ones', async () => {
    const many = Array.from({ length: 250 }, (_, index) => record('many', index, `line ${index}`))
    writeFileSync(join(folder, 'Many.log'), `${many.join('\n')}\n`)
    const { body } = await get('many')
    expect([body.lines.length, body.lines.at(-1).message, body.isComplete]).toEqual([200, 'line 249', false])
  })

  it('of a log that is too large to be read whole are said to be incomplete', async () => {
    const large = folderUntilEnd()
    const filler = `${'x'.repeat(1023)}\n`.repeat(3 * 1024)
    writeFileSync(
      join(large, 'RunJob.log'),
      `${record('old', 1, 'first')}\n${filler}${record('old', 2, 'last')}\n`,
    )
    const log = await createWorkLogs('eu-west-1', large)('old')
    expect([messages(log), log.isComplete]).toEqual([['last'], false])
  })

  it('need a correlation id that is one, and a token that manages all buckets', async () => {
    expect((await get("x' | delete")).status).toBe(400)
    expect((await service.call('GET', '/v2/storage/logs')).status).toBe(400)
    const { body: limited } = await service.call('POST', '/v2/storage/tokens', { description: 'limited' })
    expect((await get('job-1', { 'X-StorageApi-Token': limited.token })).status).toBe(403)
  })

  it('in an account are in CloudWatch: the reply has the address of the query', async () => {
    const { insights, lines } = await createWorkLogs('eu-west-1', undefined)('123.456')
    expect(lines).toEqual([])
    expect(insights).toMatch(
      /^https:\/\/eu-west-1\.console\.aws\.amazon\.com\/cloudwatch\/home\?region=eu-west-1#/,
    )
    const query = /editorString~'([^~)]*)/.exec(insights ?? '')?.[1] ?? ''
    const read = query.replace(/\*([0-9a-f]{2})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    expect(read).toContain("| filter correlationId = '123.456' |")
  })
})
