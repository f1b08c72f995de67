import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { eventually } from '../support/eventually.ts'
import { runMillrace } from '../support/millrace.ts'
import { poll } from '../support/poll.ts'
import { json as jsonReply, startScriptedServer } from '../support/scripted-server.ts'

/* The commands on the real stack. */

const folder = folderUntilEnd()
const cloud = await untilEnd(startCloud({ dataDir: join(folder, 'data') }))
const { region, accessKeyId, secretAccessKey } = cloud
const s3 = await untilEnd(
  new S3Client({
    endpoint: cloud.s3,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  }),
)

const environment = () => ({
  MILLRACE_DATA_DIR: join(folder, 'data'),
  XDG_CONFIG_HOME: join(folder, 'config'),
})
const millrace = (...args: string[]) => runMillrace(args, { environment: environment() })
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await millrace(...args, '--json')
  expect([code, stderr]).toEqual([0, expect.anything()])
  return JSON.parse(stdout)
}
const drop = (Key: string, Body: string) =>
  s3.send(new PutObjectCommand({ Bucket: cloud.landingBucket, Key, Body }))
await drop('in.c-shop/orders.csv', 'id,city,total\n1,Prague,10\n2,Brno,5.5\n3,Prague,1\n')
await drop('in.c-shop/customers.csv', 'id,name\n1,"Eva, ""E"""\n2,\u001b[31mred\n')
await Promise.all(['orders', 'customers'].map(name => millrace('wait', `in.c-shop/${name}.csv`)))

describe('what is there', () => {
  it('status counts tables, rows, jobs and dead letters', async () => {
    expect(await json('status')).toMatchObject({
      url: cloud.api,
      version: packageJson.version,
      tables: expect.any(Number),
      jobs: { waiting: 0, success: expect.any(Number) },
      deadLetters: 0,
      failures: [],
    })
    const { stdout, code } = await millrace('status')
    expect(stdout).toMatch(/^service +http:/)
    expect(code).toBe(0)
  })

  it('tables are listed and previewed, without colours or control characters in a pipe', async () => {
    const [list, preview] = await Promise.all([
      millrace('tables'),
      millrace('tables', 'preview', 'in.c-shop.customers'),
    ])
    expect(list.stdout).toMatch(/^TABLE +ROWS +SIZE/)
    expect(list.stdout).toMatch(/in\.c-shop\.orders +3 /)
    expect(preview.stdout).toContain('Eva, "E"')
    expect(preview.stdout + list.stdout).not.toContain('\u001b')
  })

  it('a table remembers how its files load, until that is reset', async () => {
    const settings = (...args: string[]) => json('tables', 'settings', 'in.c-shop.daily', ...args)
    const drops = async (day: number) => {
      await drop(`in.c-shop/daily/${day}.csv`, `id;n\n${day};${day}0\n`)
      await millrace('wait', `in.c-shop/daily/${day}.csv`)
      return json('query', 'SELECT id FROM in.c-shop.daily ORDER BY 1')
    }
    await drop('in.c-shop/daily.csv', 'id,n\n1,10\n')
    await millrace('wait', 'in.c-shop/daily.csv')
    expect(await settings()).toEqual({})
    expect(await settings('--incremental')).toEqual({ incremental: '1' })
    expect(await settings('--delimiter', ';')).toEqual({ incremental: '1', delimiter: ';' })
    expect([await drops(2), await drops(3)].map(rows => rows.length)).toEqual([2, 3])
    expect((await millrace('tables', 'settings', 'in.c-shop.daily', '--delimiter', ';;')).code).toBe(1)
    expect(await settings('--reset', '--delimiter', ';')).toEqual({ delimiter: ';' })
    expect(await drops(4)).toEqual([{ id: '4' }])
  })

  it('a table is made with types, and with what it keeps of how its files load', async () => {
    const columns = ['--column', 'id::integer', '--column', 'sold::date', '--column', 'note']
    const key = ['--primary-key', 'id', '--incremental']
    const made = await millrace('tables', 'create', 'in.c-shop.typed', ...columns, ...key)
    expect([made.stderr, made.code]).toEqual(['', 0])
    for (const [day, content] of [
      'id,sold,note\n9,2026-01-09,a\n',
      'id,sold,note\n10,2026-01-10,b\n',
    ].entries()) {
      await drop(`in.c-shop/typed/${day}.csv`, content)
      await millrace('wait', `in.c-shop/typed/${day}.csv`)
    }
    expect(await json('query', 'SELECT max(id) AS id, min(sold) AS sold FROM in.c-shop.typed')).toEqual([
      { id: 10, sold: '2026-01-09' },
    ])
    const again = await millrace('tables', 'create', 'in.c-shop.typed', '--column', 'id')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already has')])
    const wrong = await millrace('tables', 'create', 'in.c-shop.other', '--column', 'id::whole')
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('INTEGER')])
  })

  it('a table is exported as its name says', async () => {
    const parquet = join(folder, 'customers.parquet')
    expect((await millrace('download', 'in.c-shop.customers', '-o', parquet)).code).toBe(0)
    expect((await readFile(parquet)).subarray(0, 4).toString()).toBe('PAR1')
    const list = join(folder, 'customers.json')
    await millrace('download', 'in.c-shop.customers', '-o', list)
    expect(JSON.parse(await readFile(list, 'utf8'))).toContainEqual({ id: '1', name: 'Eva, "E"' })
  })

  it('a table is made of standard input, renamed, emptied and deleted', async () => {
    const input = 'city,n\nBrno,1\nPrague,2\nBrno,3\n'
    const made = await runMillrace(['upload', '-', '--table', 'in.c-shop.spare'], {
      environment: environment(),
      input,
    })
    expect([JSON.parse(made.stdout).tableId, made.code]).toEqual(['in.c-shop.spare', 0])
    expect((await millrace('tables', 'rename', 'in.c-shop.spare', 'Spare-parts')).code).toBe(0)
    const rows = async () => await json('query', 'SELECT n FROM in.c-shop.spare ORDER BY 1')
    const unsure = await millrace('tables', 'rows', 'delete', 'in.c-shop.spare', '--where', 'city = Brno')
    expect([unsure.code, unsure.stderr]).toEqual([
      1,
      expect.stringMatching(/This deletes 2 rows of in\.c-shop\.spare\. .* brought back .*one-bad-day/),
    ])
    const prague = await millrace('tables', 'rows', 'delete', 'in.c-shop.spare', '--where', 'city = Prague')
    expect(prague.stderr).toContain('This deletes 1 row of in.c-shop.spare.')
    const all = await millrace('tables', 'truncate', 'in.c-shop.spare')
    expect(all.stderr).toMatch(/This deletes the 3 rows of in\.c-shop\.spare\. .* brought back/)
    expect(await rows()).toHaveLength(3)
    const where = ['--where', 'city=Brno', '--where', "n::number >= '2'"]
    const deleted = await millrace('tables', 'rows', 'delete', 'in.c-shop.spare', ...where, '--yes')
    expect([deleted.stdout + deleted.stderr, await rows()]).toEqual([
      expect.stringMatching(
        /1 row deleted[\s\S]*This deletes 1 row of [\s\S]*Snapshot \d+ of .* brings it back/,
      ),
      [{ n: '1' }, { n: '2' }],
    ])
    const letters = ['--where', 'n > 1', '--yes']
    const refused = await millrace('tables', 'rows', 'delete', 'in.c-shop.spare', ...letters)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('n::number > 1')])
    expect((await millrace('tables', 'truncate', 'in.c-shop.spare', '--yes')).stdout).toContain(
      '2 rows deleted',
    )
    const kept = await millrace('tables', 'delete', 'in.c-shop.spare')
    expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('A snapshot is kept before')])
    expect((await millrace('tables', 'delete', 'in.c-shop.spare', '--yes')).code).toBe(0)
    expect((await millrace('tables', 'preview', 'in.c-shop.spare')).code).toBe(1)
  })

  it.each([
    [['tables', 'prevew', 'x'], 'did you mean "preview"'],
    [['jobs', '--status', 'eror'], 'Allowed choices'],
    [['upload', 'package.json', '--table', 'nowhere'], 'is not a table id'],
    [['download', 'nowhere'], 'nor a table id like in.c-main.orders'],
    [['tables', 'rows', 'delete', 'in.c-shop.orders', '--where', 'city'], 'is no condition'],
    [['tables', 'rows', 'delete', 'in.c-shop.orders'], 'tables truncate'],
  ])('%j says what is meant', async (args, words) => {
    const { stderr, code } = await millrace(...args)
    expect([stderr, code]).toEqual([expect.stringContaining(words), 1])
  })

  it('the cloud is found from a folder below its own', async () => {
    const below = join(folder, 'project', 'src')
    await mkdir(below, { recursive: true })
    await symlink(join(folder, 'data'), join(folder, 'project', '.millrace'))
    const { code } = await runMillrace(['tables'], { environment: {}, workingFolder: below })
    expect(code).toBe(0)
    const { stderr } = await runMillrace(['tables'], { environment: {}, workingFolder: tmpdir() })
    expect(stderr).toContain('millrace start')
  })

  it('a table is exported as CSV', async () => {
    const { stdout, code } = await millrace('download', 'in.c-shop.customers', '-o', '-')
    expect([stdout.split('\n')[1], code]).toEqual(['"1","Eva, ""E"""', 0])
  })

  it('jobs, events and logs say what was done', async () => {
    const [jobs, logs] = await Promise.all([
      json('jobs', '--table', 'in.c-shop.orders'),
      millrace('logs', 'run-job', '--lines', '1000'),
    ])
    // The event of a job comes after its end.
    await expect
      .poll(async () => (await millrace('events', '--table', 'in.c-shop.orders')).stdout)
      .toMatch(/success +storage +Imported into table in\.c-shop\.orders/)
    expect(logs.code).toBe(0)
    for (const { id } of jobs.slice(0, 1))
      expect((await millrace('jobs', String(id))).stdout).toMatch(/^job +\d+/)
  })
})

describe('wait', () => {
  it('says which table an object became', async () => {
    const result = await json('wait', 'in.c-shop/orders.csv')
    expect(result).toMatchObject({ status: 'success', tableId: 'in.c-shop.orders', rows: 3, error: null })
    expect(await json('wait', String(result.jobId))).toMatchObject({ tableId: 'in.c-shop.orders', rows: 3 })
  })

  it('exits 1 with the reason when the object could not be imported', async () => {
    await drop('in.c-shop/ragged.csv', 'id,city\n1\n')
    const object = `s3://${cloud.landingBucket}/in.c-shop/ragged.csv`
    const { stdout, stderr, code } = await millrace('wait', object)
    expect(stdout).toMatch(/^failed: .*line 2/i)
    expect(stderr).toContain('millrace letters')
    expect(code).toBe(1)
  })

  it('exits 1 when there is no such object or job', async () => {
    const missing = await millrace('wait', 'in.c-shop/missing.csv')
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('upload it first')])
    expect((await millrace('wait', '1')).stderr).toContain('Job 1 not found')
  })
})

describe('letters', () => {
  it('are listed with their reason, redriven after the cause is mended, and gone', async () => {
    const key = 'in.c-shop/mended.csv'
    await drop(key, 'id,name\n1,a\n')
    await millrace('wait', key)
    await drop(key, 'code\n1\n')
    expect((await millrace('wait', key)).code).toBe(1)
    // Both follow the end of an execution, which `wait` may see first.
    const letterOfKey = async () =>
      (await json('letters', '--machine', 'import')).find(({ input }: { input: unknown }) =>
        JSON.stringify(input).includes(key),
      )
    const letter = await poll(letterOfKey, found => found !== undefined)
    const listed = await millrace('letters')
    expect(listed.stdout).toContain(letter.failure.message.slice(0, 40))
    expect((await millrace('letters', 'show', letter.id)).stdout).toContain(
      `millrace letters redrive ${letter.id}`,
    )

    const headers = { 'X-StorageApi-Token': cloud.token ?? '' }
    await fetch(`${cloud.api}/v2/storage/tables/in.c-shop.mended`, { method: 'DELETE', headers })
    const redriven = await json('letters', 'redrive', letter.id)
    expect(redriven.redriven[0]).toMatchObject({ id: letter.id })
    expect(await json('wait', key)).toMatchObject({ status: 'success', tableId: 'in.c-shop.mended', rows: 1 })
    await poll(letterOfKey, found => found === undefined)
    expect((await millrace('letters', 'redrive', letter.id)).code).toBe(1)
  })

  it('close themselves when a mended file of the same key is imported', async () => {
    const key = 'in.c-shop/closing.csv'
    await drop(key, 'id,name\n1,"a\n')
    expect((await millrace('wait', key)).code).toBe(1)
    await drop(key, 'id,name\n1,a\n')
    await json('wait', key)
    await eventually(async () => expect(JSON.stringify(await json('letters'))).not.toContain(key))
  })

  it('are there for a key that names no table, and can be deleted', async () => {
    await drop('nonsense.txt', 'x')
    await millrace('wait', 'nonsense.txt')
    const [letter] = await poll(
      () => json('letters', '--code', 'landing.keyNotRecognised'),
      found => found.length > 0,
    )
    expect(letter).toMatchObject({
      machine: 'import',
      input: { detail: { object: { key: 'nonsense.txt' } } },
    })
    expect((await millrace('letters', 'delete', letter.id)).code).toBe(0)
    expect(await json('letters', '--code', 'landing.keyNotRecognised')).toEqual([])
  })

  it('need an id or --all to be redriven', async () => {
    const { stderr, code } = await millrace('letters', 'redrive')
    expect([stderr, code]).toEqual(['Name the dead letters to redrive, or give --all.\n', 1])
  })
})

describe('query', () => {
  it('runs SQL on tables by their ids, bare or quoted', async () => {
    const sql = `SELECT o.city, sum(total::DOUBLE) AS total, 'in.c-no.table' AS text
      FROM in.c-shop.orders o JOIN "in.c-shop.customers" c USING (id) GROUP BY o.city ORDER BY 1`
    expect(await json('query', sql)).toEqual([
      { city: 'Brno', total: 5.5, text: 'in.c-no.table' },
      { city: 'Prague', total: 10, text: 'in.c-no.table' },
    ])
  })

  it('writes CSV and Parquet files', async () => {
    const csv = join(folder, 'result.csv')
    const parquet = join(folder, 'result.parquet')
    const sql = 'SELECT id, name FROM in.c-shop.customers WHERE id = 1'
    await Promise.all([millrace('query', sql, '-o', csv), millrace('query', sql, '-o', parquet)])
    expect(await readFile(csv, 'utf8')).toBe('"id","name"\n"1","Eva, ""E"""\n')
    expect((await readFile(parquet)).subarray(0, 4).toString()).toBe('PAR1')
  })

  const refused: [string, string][] = [
    ['DROP TABLE in.c-shop.orders', 'Only queries are run'],
    ["COPY (SELECT 1) TO '/tmp/x.csv'", 'Only queries are run'],
    ["SELECT * FROM read_csv('/etc/passwd')", 'cannot be read from'],
    ['SELECT 1; SELECT 2', '2 statements'],
    ['SELECT sum(total) FROM in.c-shop.orders', 'total::DOUBLE'],
    ['SELECT * FROM in.c-shop.nothing', 'not found'],
  ]
  it('refuses what is no query, what reaches outside, and says what is wrong', async () => {
    for (const [sql, message] of refused) {
      const { stderr, code } = await millrace('query', sql)
      expect([sql, code, stderr]).toEqual([sql, 1, expect.stringContaining(message)])
    }
  })
})

describe('config', () => {
  it('is stored, read, checked, tried and run', async () => {
    const api = await startScriptedServer()
    api.replyWith(jsonReply(200, [{ id: 1 }, { id: 2 }]))
    try {
      const place = 'ex-generic-v2/shop'
      const file = join(folder, 'config.json')
      const write = (bucket: string) =>
        writeFile(
          file,
          JSON.stringify({
            parameters: {
              api: { baseUrl: api.url },
              config: { outputBucket: bucket, jobs: [{ endpoint: 'things' }] },
            },
          }),
        )
      await write('first')
      expect(await json('config', 'put', place, file)).toMatchObject({ id: 'shop', version: 1 })
      await write('second')
      expect((await millrace('config', 'put', place, file, '--message', 'renamed')).stdout).toContain(
        'version 2',
      )
      expect(JSON.parse((await millrace('config', 'get', place)).stdout)).toEqual(
        JSON.parse(await readFile(file, 'utf8')),
      )
      expect((await millrace('config')).stdout).toContain(place)
      expect((await millrace('config', 'validate', file)).stdout).toContain('valid')
      expect((await millrace('config', 'preview', place, '--rows', '1')).stdout).toContain('(1 row)')
      const run = await millrace('config', 'run', place)
      expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('2 rows loaded')])
      const [listed] = await json('runs', '--config', 'shop')
      expect(listed).toMatchObject({ status: 'success', rowsLoaded: 2, configId: 'shop' })
      expect((await millrace('runs', listed.id)).stdout).toContain('ex-generic-v2/shop')
    } finally {
      await api.close()
    }
  })

  it('is stored only when it can run, or as a draft with --force, which has no schedule', async () => {
    const file = join(folder, 'draft.json')
    const place = 'ex-generic-v2/draft'
    const api = { baseUrl: 'https://example.com/' }
    const put = async (parameters: object, ...more: string[]) => {
      const schedule = more.includes('scheduled') && { schedule: 'rate(1 hour)' }
      await writeFile(file, JSON.stringify({ parameters: { api, ...parameters }, ...schedule }))
      return millrace('config', 'put', place, file, ...more.filter(each => each !== 'scheduled'))
    }
    const misspelt = { config: { jobs: [{ endpoint: 'a', paginaton: {} }] } }
    const never = { config: { jobs: [{ endpoint: 'a', incremental: { idKey: 'id', param: 'since' } }] } }
    const draft = { config: { jobs: [] } }
    for (const [wrong, at] of [
      [misspelt, '"paginaton"'],
      [never, 'Job 0 asks only'],
    ] as const) {
      const refused = await put(wrong)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(at)])
      expect(refused.stderr).toContain('--force stores it as a draft')
      const scheduled = await put(wrong, '--force', 'scheduled')
      expect([scheduled.code, scheduled.stderr]).toEqual([
        1,
        expect.stringContaining('A draft has no schedule'),
      ])
      expect((await millrace('config', 'get', place)).code).toBe(1)
    }
    expect(await put(misspelt, '--force')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('version 1'),
      stderr: expect.stringMatching(/configuration\.parameters\.config\.jobs\.0: .*paginaton/),
    })
    expect(await put(draft)).toMatchObject({ code: 0, stderr: '' })
    expect((await put(draft, 'scheduled')).stderr).toContain('A draft has no schedule')
  })

  it('names what is wrong', async () => {
    const file = join(folder, 'wrong.json')
    await writeFile(
      file,
      JSON.stringify({
        parameters: {
          api: { baseUrl: 'https://example.com/', pagination: { method: 'pages' } },
          config: { jobs: [{ endpoint: 'x' }] },
        },
      }),
    )
    const invalid = await millrace('config', 'validate', file)
    expect([invalid.code, invalid.stdout]).toEqual([1, expect.stringContaining('pages')])
    await writeFile(
      file,
      JSON.stringify({
        parameters: {
          api: { baseUrl: 'https://example.com/', paginationn: {} },
          config: { jobs: [{ endpoint: 'x' }] },
        },
      }),
    )
    const misspelt = await millrace('config', 'validate', file)
    expect([misspelt.code, misspelt.stdout]).toEqual([
      1,
      expect.stringContaining('did you mean "pagination"?'),
    ])
    expect(misspelt.stdout).not.toContain(': valid')
    await writeFile(file, JSON.stringify({ parameters: {}, schedule: 'every hour' }))
    const never = await millrace('config', 'validate', file)
    expect([never.code, never.stdout]).toEqual([1, expect.stringContaining('write rate(5 minutes)')])
    await writeFile(file, '{')
    expect((await millrace('config', 'validate', file)).stderr).toContain('is not JSON')
    const missing = await millrace('config', 'get', 'ex-generic-v2/none')
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/not found/i)])
    expect((await millrace('config', 'get', 'shop')).stderr).toContain('ex-generic-v2/shop')
  })
})

describe('a query in a pipe', () => {
  it('has all rows once, in order, and leaves no file', async () => {
    const sql = "SELECT range AS n, 'row ' || range AS t FROM range(200000)"
    const { stdout, code } = await millrace('query', sql, '--format', 'csv')
    const lines = stdout.split('\n')
    expect([code, lines.length, lines[0], lines[1], lines[200_000]]).toEqual([
      0,
      200_002,
      '"n","t"',
      '"0","row 0"',
      '"199999","row 199999"',
    ])
    expect(JSON.parse((await millrace('query', sql, '--format', 'json')).stdout)).toHaveLength(200_000)
    expect((await millrace('files', '-q', 'query')).stdout).not.toContain('query.')
  })
})

describe('tokens and login', () => {
  it('make a token that a later command finds by the address alone', async () => {
    const made = await json('tokens', 'create', '--description', 'reader', '--bucket', 'in.c-shop=read')
    expect((await millrace('tokens')).stdout).toContain('reader')
    const url = ['--url', cloud.api]
    expect((await millrace('tables', ...url)).stderr).toContain('millrace login')
    const login = await runMillrace(['login', ...url], {
      input: `${made.token}\n`,
      environment: environment(),
    })
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('"reader"')])
    expect((await millrace('tables', ...url)).stdout).toContain('in.c-shop.orders')
    expect((await millrace('letters', ...url)).code).toBe(1)

    expect((await millrace('tokens', 'delete', made.id)).code).toBe(0)
    expect((await millrace('tables', ...url)).code).toBe(1)
    expect((await millrace('login', ...url, '--forget')).code).toBe(0)
    expect((await millrace('tables', ...url)).stderr).toContain('millrace login')
  })
})

describe('every command', () => {
  it('says what is wrong in a sentence, and exits with 1 for the user and 2 for the rest', async () => {
    const nowhere = { ...environment(), MILLRACE_DATA_DIR: folder }
    const noCloud = await runMillrace(['status'], { environment: nowhere })
    expect([noCloud.code, noCloud.stderr]).toEqual([1, expect.stringContaining('millrace start')])
    const refused = await millrace('status', '--url', 'http://127.0.0.1:9', '--token', 'x')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /got no answer from http:\/\/127.0.0.1:9: .*Nothing listens there: .*millrace start/,
      ),
    ])
    const noAddress = await millrace('status', '--url', 'localhost:18731', '--token', 'x')
    expect([noAddress.code, noAddress.stderr]).toEqual([1, expect.stringContaining('Write it like https://')])
    for (const { stderr } of [noCloud, refused, noAddress]) expect(stderr).not.toMatch(/ENOENT|\n +at /)
  })

  it.each([
    [['tables', 'preview', 'in.c-shop.custommers'], 'did you mean "in.c-shop.customers"?'],
    [['tables', 'preview', 'customers'], 'begins with its bucket, like in.c-main.orders'],
    [['tables', 'preview', '.orders'], 'begins with its bucket, like in.c-main.orders'],
    [['tables', 'preview', 'in.c-main.'], 'begins with its bucket, like in.c-main.orders'],
    [['config', 'get', 'ex-generic-v2/nothing-alike'], 'Configuration nothing-alike not found'],
  ])('says what was probably meant by a name that is not there: %j', async (args, said) => {
    const { code, stderr } = await millrace(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
  })

  it('is completed in bash, zsh and fish', async () => {
    for (const { stdout, code } of await Promise.all(
      ['bash', 'zsh', 'fish'].map(shell => millrace('completion', shell)),
    )) {
      expect(code).toBe(0)
      for (const word of ['letters', 'redrive', 'wait', 'detect-types']) expect(stdout).toContain(word)
    }
  })

  it('open makes a link to the console, or says that there is none', async () => {
    const { stdout, stderr, code } = await millrace('open', '--print')
    expect(code === 0 ? stdout : stderr).toMatch(
      /\/console\/sign-in\/link\?id=[\w-]{43}\n$|serves no console/,
    )
  })
})
