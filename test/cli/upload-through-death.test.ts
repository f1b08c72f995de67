import { existsSync, readFileSync } from 'node:fs'
import { appendFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ListObjectsV2Command, ListPartsCommand } from '@aws-sdk/client-s3'
import { afterAll, describe, expect, it } from 'vitest'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { runMillraceProcess, spawnMillrace } from '#support/millrace.ts'
import { hasEnded, poll } from '#support/poll.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { CloudProcess } from '../soak/cloud-process.ts'

/* The service is killed in the middle of an upload, and comes back at the same address. */

const folder = folderUntilEnd()
const environment: Record<string, string> = {}
const cloud = new CloudProcess({
  dataDir: join(folder, 'data'),
  durability: undefined,
  logFile: join(folder, 'log'),
  environment,
})
await cloud.start()
const facts = await cloud.up()
// It comes back where its clients know it.
Object.assign(environment, {
  MILLRACE_API_PORT: new URL(facts.api).port,
  MILLRACE_S3_PORT: new URL(facts.s3).port,
})
afterAll(() => cloud.end('SIGKILL'))

const api = callerOf(() => facts)
const client = {
  environment: {
    AWS_ENDPOINT_URL_S3: undefined,
    AWS_ENDPOINT_URL: undefined,
    MILLRACE_URL: facts.api,
    MILLRACE_TOKEN: facts.token,
  },
  workingFolder: folder,
}

const ROWS = 800_000
const path = join(folder, 'large.csv')
await writeFile(path, 'id,text\n')
for (let from = 0; from < ROWS; from += 100_000)
  await appendFile(
    path,
    Array.from({ length: 100_000 }, (_, row) => `${from + row},${'x'.repeat(90)}\n`).join(''),
  )

const notesAt = `${path}.upload.json`
const notes = () => JSON.parse(existsSync(notesAt) ? readFileSync(notesAt, 'utf8') || '{}' : '{}')

/** How many parts or slices are there. */
const sentSoFar = async (): Promise<number> => {
  const { fileId, uploadId } = notes()
  if (fileId === undefined) return 0
  const { s3Path } = await api('GET', `files/${fileId}?federationToken=1`)
  const s3 = s3Of(facts)
  if (uploadId === undefined) {
    const found = await s3.send(new ListObjectsV2Command({ Bucket: s3Path.bucket, Prefix: s3Path.key }))
    return found.KeyCount ?? 0
  }
  const upload = { Bucket: s3Path.bucket, Key: s3Path.key, UploadId: uploadId }
  return (await s3.send(new ListPartsCommand(upload))).Parts?.length ?? 0
}

const rowsOf = async (tableId: string) => (await api('GET', `tables/${tableId}`)).rowsCount

/** Uploads until so much is there; then the service is killed. Resolves to what the client says, when it has ended. */
const killedAt = async (isTime: () => Promise<boolean>, ...args: string[]) => {
  const child = spawnMillrace(args, client)
  const [stderr, exited] = [text(child.stderr), new Promise<number | null>(done => child.on('exit', done))]
  await poll(async () => child.exitCode !== null || (await isTime()), Boolean, { pauseMs: 5 })
  await cloud.end('SIGKILL')
  const atDeath = notes()
  const back = cloud.start()
  const [code] = await Promise.all([exited, back])
  return { code, stderr: await stderr, atDeath }
}

describe.each([
  ['one object', '--no-sliced', 'in.c-death.whole'],
  ['slices', '--sliced', 'in.c-death.sliced'],
])('an upload as %s', (_, how, tableId) => {
  const send = ['upload', path, '--incremental', '--table', tableId, ...(how === '--sliced' ? [how] : [])]

  it('goes on after a death of the service, and the table has the rows once', async () => {
    const first = await killedAt(async () => (await sentSoFar()) >= 2, ...send)
    expect([first.atDeath.fileId, first.atDeath.uploaded]).toEqual([expect.any(Number), undefined])
    if (first.code !== 0) {
      expect(first.stderr).toContain('the same command goes on with it')
      const again = await runMillraceProcess(send, client)
      expect([again.code, again.stderr]).toEqual([
        0,
        expect.stringMatching(/, of which [\d.]+ MB were there,/),
      ])
    }
    expect(await rowsOf(tableId)).toBe(ROWS)
    expect(existsSync(notesAt)).toBe(false)
  })

  it('whose load has begun is loaded once, when the same command is given again', async () => {
    const { size } = await stat(path)
    const first = await killedAt(async () => notes().load !== undefined, ...send)
    expect([0, 2]).toContain(first.code)
    if (first.code !== 0) {
      const again = await runMillraceProcess(send, client)
      expect([again.code, again.stderr]).toEqual([
        0,
        expect.stringContaining(`${(size / 1e6).toFixed(1)} MB were there`),
      ])
    }
    const [job] = await api('GET', 'jobs?limit=1')
    await poll(() => api('GET', `jobs/${job.id}`), hasEnded)
    expect(await rowsOf(tableId)).toBe(2 * ROWS)
  })

  it('whose load has begun is loaded once, when the client is killed', async () => {
    const child = spawnMillrace(send, client)
    await poll(async () => child.exitCode !== null || notes().load !== undefined, Boolean, { pauseMs: 5 })
    child.kill('SIGKILL')
    const again = await runMillraceProcess(send, client)
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('MB were there')])
    expect(await rowsOf(tableId)).toBe(3 * ROWS)
  })
})
