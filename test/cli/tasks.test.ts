import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { s3Of } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { eventually } from '../support/eventually.ts'
import { runMillrace } from '../support/millrace.ts'
import { json as jsonReply, startScriptedServer } from '../support/scripted-server.ts'

/* What people come for, each from its beginning to its end by the command alone. */
const folder = folderUntilEnd()
const cloud = await untilEnd(startCloud({ dataDir: join(folder, '.millrace') }))

/** At a terminal of the project's folder. */
const millrace = async (...args: string[]) => {
  const { code, stdout, stderr } = await runMillrace(args, { workingFolder: folder, isTerminal: true })
  return { code, text: stdout, remarks: stderr }
}
const done = async (...args: string[]): Promise<string> => {
  const { code, text, remarks } = await millrace(...args)
  expect([args, code, code === 0 ? '' : text + remarks]).toEqual([args, 0, ''])
  return text
}
const write = (name: string, content: string) => writeFile(join(folder, name), content)

it('a configuration is made, scheduled, run, cancelled while it runs, and deleted', async () => {
  const api = await startScriptedServer()
  try {
    api.replyWith(jsonReply(200, [{ id: 1 }, { id: 2 }]))
    const configuration = {
      parameters: {
        api: { baseUrl: api.url },
        config: { outputBucket: 'shop', jobs: [{ endpoint: 'orders' }] },
      },
      schedule: 'cron(0 6 * * ? *)',
    }
    await write('shop.json', JSON.stringify(configuration))
    const place = 'ex-generic-v2/shop'
    expect(await done('config', 'put', place, 'shop.json')).toContain('version 1')
    expect(await done('config', 'schedule', place)).toMatch(/cron\(0 6[\s\S]*06:00:00 UTC/)
    const ran = await millrace('config', 'run', place)
    expect([ran.code, ran.text]).toEqual([0, expect.stringMatching(/2 rows loaded after 1 request(?!s)/)])

    const held = Promise.withResolvers<void>()
    api.replyWith(async response => {
      await held.promise
      response.end('[]')
    })
    const asked = api.received.length
    const leaves = new AbortController()
    const followed = runMillrace(['config', 'run', place], {
      workingFolder: folder,
      interrupted: leaves.signal,
    })
    await eventually(async () => expect(api.received.length).toBeGreaterThan(asked))
    leaves.abort()
    const left = await followed
    expect([left.code, left.stderr]).toEqual([
      130,
      expect.stringMatching(
        /The run of ex-generic-v2\/shop[\s\S]*goes on without you\. Follow it: millrace wait (\d+)\. Stop it: millrace jobs cancel \1\./,
      ),
    ])
    const runs = await done('runs', '--config', 'shop', '--status', 'processing')
    const [run = ''] = runs.match(/run-\d+/) ?? []
    expect(await done('runs', 'cancel', run)).toContain('Cancelled')
    held.resolve()
    // The job ends after its run.
    await eventually(async () =>
      expect(await done('jobs', '--limit', '1')).toContain('Cancelled by the token'),
    )
    expect(await done('tables', 'preview', 'in.c-shop.orders')).toMatch(/id.*\n1\n2\n/)
    expect(await done('config', 'delete', place)).toContain('deleted')
    expect(await done('config')).toContain('No configurations yet')
  } finally {
    await api.close()
  }
})

it('a bad file is refused with its line, mended, and sent again', async () => {
  await write('people.csv', 'id,city\n1,Brno\n2,"Praha\n')
  const table = ['--table', 'in.c-mend.people', '--primary-key', 'id']
  const bad = await millrace('upload', 'people.csv', ...table)
  expect(bad).toMatchObject({ code: 1, remarks: expect.stringMatching(/line 3/i) })
  expect((await millrace('tables', 'preview', 'in.c-mend.people')).code).toBe(1)
  await write('people.csv', 'id,city\n1,Brno\n2,"Praha"\n')
  expect(await done('upload', 'people.csv', ...table)).toMatch(
    /^in\.c-mend\.people: loaded 2 rows \(job \d+\)\n$/,
  )
  expect(await done('tables', 'preview', 'in.c-mend.people')).toContain('Praha')
})

it('a query is asked, and its result is kept as a file and as a table', async () => {
  await write('orders.csv', 'id,city,total\n1,Brno,10.5\n2,Praha,2\n3,Brno,1\n')
  await done('upload', 'orders.csv', '--table', 'in.c-ask.orders', '--primary-key', 'id')
  const sql = 'SELECT city, sum(total::DOUBLE) AS total FROM in.c-ask.orders GROUP BY city ORDER BY city'
  expect(await done('query', sql)).toMatch(/Brno +11\.5/)
  await done('query', sql, '-o', 'by-city.csv')
  expect(await readFile(join(folder, 'by-city.csv'), 'utf8')).toBe(
    '"city","total"\n"Brno","11.5"\n"Praha","2.0"\n',
  )
  expect(
    await done('upload', 'by-city.csv', '--table', 'out.c-ask.by-city', '--primary-key', 'city'),
  ).toContain('2 rows')
  expect(await done('tables')).toMatch(/out\.c-ask\.by-city +2 /)
  expect(await done('files')).not.toContain('query.csv')
})

it('a table becomes one object of a bucket', async () => {
  await write('goods.csv', 'id,name\n1,tea\n')
  await done('upload', 'goods.csv', '--table', 'in.c-out.goods')
  const to = `s3://${cloud.exportsBucket}/shop/goods.csv.gz`
  expect(await done('tables', 'export', 'in.c-out.goods', '--to', to, '--no-header')).toBe(
    `in.c-out.goods is ${to}.\n`,
  )
  const s3 = s3Of(cloud)
  const Key = 'shop/goods.csv.gz'
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: cloud.exportsBucket, Key }))
  s3.destroy()
  expect(gunzipSync((await Body?.transformToByteArray()) ?? '').toString()).toBe('"1","tea"\n')

  for (const [flags, said] of [
    [[], 'Say where to'],
    [['--to', 'goods.csv'], 'Say where to'],
    [['--to', to, '--url', 'http://127.0.0.1:1'], 'An address has no export machine'],
    [['--to', 's3://elsewhere/goods.csv'], 'elsewhere'],
  ] as const) {
    const { code, remarks } = await millrace('tables', 'export', 'in.c-out.goods', ...flags)
    expect([flags, code, remarks]).toEqual([flags, 1, expect.stringContaining(said)])
  }
})

it('an upload that is interrupted says how it goes on', async () => {
  await write('more.csv', 'id\n1\n')
  const { code, stderr } = await runMillrace(['upload', 'more.csv', '--table', 'in.c-ask.more'], {
    workingFolder: folder,
    interrupted: AbortSignal.abort(),
  })
  expect([code, stderr]).toEqual([130, expect.stringContaining('the same command goes on with it')])
})
