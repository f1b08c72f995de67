import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { GetObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { createAdaptorServer } from '@hono/node-server'
import { parse } from 'csv-parse/sync'
import { afterAll, describe, expect, it } from 'vitest'
import { runMillrace, spawnMillrace } from '../support/millrace.ts'
import { withStorage } from '../support/storage-service.ts'
import { folderUntilEnd } from '../support/until-end.ts'

const MiB = 1024 ** 2
const cli = join(import.meta.dirname, '../../cli/millrace.ts')

let names = 0

const folder = folderUntilEnd()
const service = await withStorage()
const api: Server = createAdaptorServer({ fetch: service.app.fetch }) as Server // Without options it makes a plain HTTP server.
await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}` // It listens on a port.
await service.createBucket('transfer')

afterAll(async () => {
  await new Promise(resolve => api?.close(resolve))
})

const newPath = (ending = 'csv'): string => {
  names += 1
  return join(folder, `data${names}.${ending}`)
}

/** Runs the command in this process, with address and token. */
const millrace = async (...args: string[]) => {
  const environment = { MILLRACE_URL: url, MILLRACE_TOKEN: service.token }
  const { code, bytes, stderr } = await runMillrace(args, { environment, workingFolder: folder })
  return { code, output: bytes, log: stderr.trimEnd() }
}

/** The program in a process of its own, which can be killed. */
const spawnTransfer = (...args: string[]) =>
  spawnMillrace(args, {
    environment: {
      AWS_ENDPOINT_URL_S3: undefined,
      AWS_ENDPOINT_URL: undefined,
      MILLRACE_URL: url,
      MILLRACE_TOKEN: service.token,
    },
    workingFolder: folder,
  })

/** Kills a program once the condition holds. */
const killWhen = async (child: ChildProcess, isTime: () => boolean): Promise<void> => {
  const ended = new Promise(resolve => child.once('exit', resolve))
  while (!isTime() && child.exitCode === null) await sleep(2)
  child.kill('SIGKILL')
  await ended
}

const contentOf = async (fileId: number): Promise<Buffer> => {
  const { body: file } = await service.call('GET', `/v2/storage/files/${fileId}?federationToken=1`)
  const { bucket, key } = file.s3Path
  const { Body } = await service.s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

const unfinishedUploads = async () =>
  (await service.s3.send(new ListMultipartUploadsCommand({ Bucket: service.filesBucket }))).Uploads ?? []

describe('upload', () => {
  it.each([0, 100, 20 * MiB])('brings a file of %i bytes, checked', async size => {
    const path = newPath('bin')
    const bytes = randomBytes(size)
    await writeFile(path, bytes)
    const { code, output, log } = await millrace('upload', path, '--tag', 'one', '--tag', 'two')
    expect([code, log]).toEqual([0, expect.stringMatching(/CRC32 \S+ checked/)])
    const { fileId } = JSON.parse(output.toString())
    expect((await contentOf(fileId)).equals(bytes)).toBe(true)
    const { body: file } = await service.call('GET', `/v2/storage/files/${fileId}`)
    expect(file).toMatchObject({ tags: ['one', 'two'], sizeBytes: size })
    expect(existsSync(`${path}.upload.json`)).toBe(false)
  })

  it('of Parquet is never cut into slices, and loads its rows', async () => {
    const table = await service.createTable('in.c-transfer', 'as-parquet', 'id,name\n1,a\n2,b\n')
    const path = newPath('parquet')
    await millrace('download', table, '-o', path)
    expect((await readFile(path)).subarray(0, 4).toString()).toBe('PAR1')
    const { code, output } = await millrace(
      'upload',
      path,
      '--table',
      'in.c-transfer.from-parquet',
      '--sliced',
    )
    expect([code, JSON.parse(output.toString())]).toMatchObject([0, { isSliced: false }])
    const { body } = await service.call('GET', '/v2/storage/tables/in.c-transfer.from-parquet')
    expect(body).toMatchObject({ columns: ['id', 'name'], rowsCount: 2 })
  })

  it('resumes a partial upload', async () => {
    const path = newPath('bin')
    const bytes = randomBytes(40 * MiB)
    await writeFile(path, bytes)
    const notes = () => (existsSync(`${path}.upload.json`) ? readFileSync(`${path}.upload.json`, 'utf8') : '')
    await killWhen(spawnTransfer('upload', path), () => notes().includes('uploadId'))
    const journal = JSON.parse(await readFile(`${path}.upload.json`, 'utf8'))

    const { code, output } = await millrace('upload', path)
    expect(code).toBe(0)
    const { fileId } = JSON.parse(output.toString())
    expect(fileId).toBe(journal.fileId)
    expect((await contentOf(fileId)).equals(bytes)).toBe(true)
    expect(await unfinishedUploads()).toEqual([])
  })

  it('resumes a sliced upload, with the rows of each slice once', async () => {
    const path = newPath()
    const rows = 400_000
    const line = (row: number) => `${row},${'x'.repeat(90)}\n`
    await writeFile(path, `id,text\n${Array.from({ length: rows }, (_, row) => line(row)).join('')}`)
    const send = ['upload', path, '--sliced', '--table', 'in.c-transfer.sliced']
    const hasSlice = () => existsSync(`${path}.upload.json`)
    await killWhen(spawnTransfer(...send), hasSlice)
    const { fileId } = JSON.parse(await readFile(`${path}.upload.json`, 'utf8'))
    const { code, log, output } = await millrace(...send)
    expect([code, log]).toEqual([0, expect.anything()])
    expect(JSON.parse(output.toString())).toMatchObject({ fileId, isSliced: true })
    const { body } = await service.call('GET', '/v2/storage/tables/in.c-transfer.sliced')
    expect(body.rowsCount).toBe(rows)
  })

  it('of a file that was changed begins again', async () => {
    const path = newPath('bin')
    await writeFile(path, 'new')
    const { mtimeMs } = await stat(path)
    const journal = { request: 'x', bytes: 3, modified: mtimeMs - 1, fileId: 1, uploadId: 'x' }
    await writeFile(`${path}.upload.json`, JSON.stringify(journal))
    const { output } = await millrace('upload', path)
    expect((await contentOf(JSON.parse(output.toString()).fileId)).toString()).toBe('new')
  })

  it('loads a table, and appends to it', async () => {
    const path = newPath()
    await writeFile(path, 'id;name\n1;Zoë\n')
    const tableId = 'in.c-transfer.orders'
    const first = await millrace(
      'upload',
      path,
      '--table',
      tableId,
      '--primary-key',
      'id',
      '--delimiter',
      ';',
    )
    expect([first.code, first.log]).toEqual([0, expect.anything()])
    await writeFile(path, '2,two\n')
    await utimes(path, 1, 1)
    const more = await millrace('upload', path, '--table', tableId, '--incremental', '--columns', 'id,name')
    expect(JSON.parse(more.output.toString())).toMatchObject({ tableId, isSliced: false })
    const { text: rows } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
    expect(rows.trim().split('\n').sort()).toEqual(['"1","Zoë"', '"2","two"', '"id","name"'])
  })

  it.each([
    ['tsv', 'id\tname\n1\tZoë\n\n'],
    ['txt', 'id\tname\n1\tZoë\n'],
    ['json', '[{"id": 1, "name": "Zoë"}]\n'],
    ['jsonl', '{"id": 1, "name": "Zoë"}\n\n'],
    ['csv', 'id,name\r\n1,Zoë\r\n\r\n'],
  ])('loads .%s as the landing bucket does', async (extension, content) => {
    const path = newPath(extension)
    await writeFile(path, content)
    const tableId = `in.c-transfer.form_${extension}`
    const { code, log } = await millrace('upload', path, '--table', tableId)
    expect([code, log]).toEqual([0, expect.anything()])
    const { text: rows } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
    expect(rows.trim().split('\n')).toEqual(['"id","name"', '"1","Zoë"'])
  })

  it.each([
    [
      'xlsx',
      `PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`,
      /Excel workbook.*save the sheet as "CSV UTF-8"/,
    ],
    ['csv.bz2', 'BZh91AY&SY\x94', /bzip2/],
    ['csv.snappy', 'anything', /Snappy, by its name/],
  ])('sends no .%s, and says what to do', async (extension, content, sentence) => {
    const path = newPath(extension)
    await writeFile(path, content, 'latin1')
    const { code, log } = await millrace('upload', path, '--table', 'in.c-transfer.refused')
    expect([code, log]).toEqual([1, expect.stringMatching(sentence)])
  })

  /** An address in front of the service: does something once before it passes on the request that creates the table. */
  const withSomebodyElse = async (
    doesFirst: (tableId: string) => Promise<void>,
    use: (address: string) => Promise<void>,
  ): Promise<void> => {
    let isFirst = true
    const front = createAdaptorServer({
      fetch: async (request: Request) => {
        const { pathname } = new URL(request.url)
        const bucketId = /buckets\/([^/]+)\/tables-async$/.exec(pathname)?.[1]
        const body = request.body === null ? undefined : await request.text()
        if (bucketId !== undefined && isFirst) {
          isFirst = false
          await doesFirst(`${bucketId}.${JSON.parse(body ?? '').name}`)
        }
        const { method, headers } = request
        return service.app.fetch(new Request(request.url, { method, headers, ...(body && { body }) }))
      },
    }) as Server // Without options it makes a plain HTTP server.
    await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
    try {
      await use(`http://127.0.0.1:${(front.address() as AddressInfo).port}`) // It listens on a port.
    } finally {
      await new Promise(resolve => front.close(resolve))
    }
  }

  it.each([
    [
      'created',
      async (tableId: string) => void (await millrace('upload', await rowsFile('1'), '--table', tableId)),
    ],
    ['about to be created', async (tableId: string) => void (await startCreating(tableId, '1'))],
  ])('adds to a table that somebody else has just %s', async (_, doesFirst) => {
    const tableId = `in.c-transfer.raced${++names}`
    const path = await rowsFile('2')
    await withSomebodyElse(doesFirst, async address => {
      const sent = await millrace('upload', path, '--table', tableId, '--incremental', '--url', address)
      expect([sent.code, sent.log]).toEqual([0, expect.anything()])
      expect(JSON.parse(sent.output.toString())).toMatchObject({ tableId })
    })
    const { text: rows } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
    expect(rows.trim().split('\n').sort()).toEqual(['"1"', '"2"', '"id"'])
  })

  const rowsFile = async (...ids: string[]): Promise<string> => {
    const path = newPath()
    await writeFile(path, `id\n${ids.join('\n')}\n`)
    return path
  }

  /** Returns while the job that creates the table is still to run. */
  const startCreating = async (tableId: string, ...ids: string[]): Promise<void> => {
    const { output } = await millrace('upload', await rowsFile(...ids))
    const { fileId } = JSON.parse(output.toString())
    const [stage, bucket, name] = tableId.split('.')
    await service.call('POST', `/v2/storage/buckets/${stage}.${bucket}/tables-async`, {
      name,
      dataFileId: fileId,
    })
  }

  it('says that the table has another key than the one asked for', async () => {
    const path = newPath()
    await writeFile(path, 'id,name\n1,one\n')
    const into = (...flags: string[]) =>
      millrace('upload', path, '--table', 'in.c-transfer.keyless', ...flags)
    await into()
    const replaced = await into('--primary-key', 'id')
    expect([replaced.code, replaced.log]).toEqual([0, expect.stringContaining('has no primary key')])
    expect(JSON.parse(replaced.output.toString())).toMatchObject({ warnings: [expect.anything()] })
    const added = await into('--primary-key', 'id', '--incremental')
    expect([added.code, added.log]).toEqual([1, expect.stringContaining('Nothing was loaded')])
  })

  it('says how many rows a later one with the same key replaced', async () => {
    const path = newPath()
    await writeFile(path, 'id,v\n1,a\n1,b\n2,c\n')
    const { output } = await millrace('upload', path, '--table', 'in.c-transfer.fewer', '--primary-key', 'id')
    expect(JSON.parse(output.toString())).toMatchObject({ replacedRows: 1 })
  })

  it('of large CSV is sliced between records, with the columns from the header', async () => {
    const path = newPath()
    const row = (index: number) => `${index},"${'x'.repeat(3000)}\n${index}"\n`
    await writeFile(path, 'id,text\n')
    for (let index = 0; index < 12_000; index += 1000)
      await appendFile(path, Array.from({ length: 1000 }, (_, i) => row(index + i)).join(''))
    const sent = await millrace('upload', path, '--table', 'in.c-transfer.sliced', '--sliced')
    expect([sent.code, sent.log]).toEqual([0, expect.stringMatching(/3 slices/)])
    expect(JSON.parse(sent.output.toString())).toMatchObject({ isSliced: true })
    const { body: table } = await service.call('GET', '/v2/storage/tables/in.c-transfer.sliced')
    expect(table).toMatchObject({ rowsCount: 12_000, columns: ['id', 'text'] })
  })

  it('of broken CSV says where it is broken', async () => {
    const path = newPath()
    await writeFile(path, 'id,name\n1\n')
    const sent = await millrace('upload', path, '--table', 'in.c-transfer.broken', '--sliced')
    expect([sent.code, sent.log]).toEqual([1, expect.stringMatching(/line 2/)])
  })

  it('without a file or a token says so', async () => {
    expect(await millrace('upload', join(folder, 'nothing'))).toMatchObject({ code: 1 })
    const refused = await millrace('upload', cli, '--token', '7-42-wrong')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.log).not.toContain('wrong')
  })
})

describe('download', () => {
  it('writes no file outside of the current folder because of its name', async () => {
    const path = newPath()
    await writeFile(path, 'a')
    const { output } = await millrace('upload', path, '--name', '../../stolen.csv')
    const { fileId } = JSON.parse(output.toString())
    const { code, log } = await millrace('download', String(fileId))
    expect({ code, log }).toMatchObject({
      code: 1,
      log: expect.stringContaining('is not the name of a file'),
    })
  })

  const slices = [randomBytes(9 * MiB), Buffer.alloc(0), randomBytes(100), randomBytes(MiB)]
  const whole = Buffer.concat(slices)

  const uploadSlices = async (contents: Uint8Array[]): Promise<number> => {
    const { body: file } = await service.call('POST', '/v2/storage/files/prepare', {
      name: 'sliced.csv',
      isSliced: 1,
      federationToken: 1,
    })
    const { bucket, key } = file.uploadParams
    for (const [index, Body] of contents.entries())
      await service.s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}_${index}`, Body }))
    const entries = contents.map((_, index) => ({ url: `s3://${bucket}/${key}_${index}` }))
    const Body = JSON.stringify({ entries })
    await service.s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}manifest`, Body }))
    return file.id
  }

  it('brings a sliced file in order, checked', async () => {
    const path = newPath('bin')
    const { code, log } = await millrace('download', String(await uploadSlices(slices)), '-o', path)
    expect([code, log]).toEqual([0, expect.stringMatching(/CRC32 \S+ checked/)])
    expect((await readFile(path)).equals(whole)).toBe(true)
    expect(existsSync(`${path}.part`) || existsSync(`${path}.part.json`)).toBe(false)
  })

  it.each([
    ['Parquet', [Buffer.from('PAR1\x15\x04, 1'), Buffer.from('PAR1\x15\x04, 2')]],
    ['gzip and text', [gzipSync('1\n'), Buffer.from('2\n')]],
  ])('never puts slices of %s together, and brings them one by one', async (_, contents) => {
    const path = newPath('bin')
    const fileId = String(await uploadSlices(contents))
    const { code, log } = await millrace('download', fileId, '-o', path)
    expect([code, log]).toEqual([
      expect.any(Number),
      expect.stringMatching(/cannot be put together.*--slices/),
    ])
    expect([code === 0, existsSync(path), existsSync(`${path}.part`)]).toEqual([false, false, false])
    expect((await millrace('download', fileId, '-o', '-')).output).toHaveLength(0)
    const slices = await millrace('download', fileId, '--slices', '-o', path)
    expect([slices.code, slices.log]).toEqual([0, expect.stringMatching(/CRC32 \S+ checked/)])
    const names = (await readdir(path)).sort()
    expect(await Promise.all(names.map(name => readFile(join(path, name))))).toEqual(contents)
  })

  it.each<[string, (text: string) => Buffer]>([
    ['text', text => Buffer.from(text)],
    ['text in gzip', text => gzipSync(text, { level: 0 })],
  ])('ends the last line of each slice of %s, also when it is resumed', async (_, pack) => {
    const texts = [`1,${'x'.repeat(9 * MiB)}`, '', '2,b', '3,c\n', '4,d', '5,e']
    const fileId = String(await uploadSlices(texts.map(text => pack(text))))
    const path = newPath('csv')
    const first = await millrace('download', fileId, '-o', path)
    expect([first.code, first.log]).toEqual([0, expect.stringMatching(/CRC32 \S+ checked/)])
    const expected = await readFile(path)
    const text = expected[0] === 0x1f ? gunzipSync(expected) : expected
    expect(text.equals(Buffer.from(`${texts[0]}\n2,b\n3,c\n4,d\n5,e`))).toBe(true)
    for (const kept of [1000, expected.length - 12, expected.length - 1]) {
      await rm(path)
      await killWhen(spawnTransfer('download', fileId, '-o', path), () => existsSync(`${path}.part`))
      await writeFile(`${path}.part`, expected.subarray(0, kept))
      expect((await millrace('download', fileId, '-o', path)).code).toBe(0)
      expect((await readFile(path)).equals(expected)).toBe(true)
    }
  })

  it('writes to standard output', async () => {
    const { output } = await millrace('download', String(await uploadSlices(slices)), '-o', '-')
    expect(output.equals(whole)).toBe(true)
  })

  it('resumes a partial download, if the content is the same', async () => {
    const path = newPath('bin')
    const fileId = String(await uploadSlices(slices))
    const cutShort = async () => {
      await rm(path, { force: true })
      await killWhen(spawnTransfer('download', fileId, '-o', path), () => existsSync(`${path}.part`))
      await writeFile(`${path}.part`, whole.subarray(0, 5 * MiB))
    }
    await cutShort()
    const resumed = await millrace('download', fileId, '-o', path)
    expect([resumed.code, resumed.log]).toEqual([0, expect.stringMatching(/5\.24 MB were there/)])
    expect((await readFile(path)).equals(whole)).toBe(true)

    await cutShort()
    await writeFile(`${path}.part`, 'bad')
    const damaged = await millrace('download', fileId, '-o', path)
    expect([damaged.code, damaged.log]).toEqual([2, expect.stringMatching(/checksum/)])
    expect(existsSync(path)).toBe(false)
    expect(existsSync(`${path}.part`)).toBe(false)
  })

  it.runIf(existsSync('/dev/full'))('on a full disk ends with an error and no file', async () => {
    const path = newPath('bin')
    await symlink('/dev/full', `${path}.part`)
    const { code, log } = await millrace('download', String(await uploadSlices(slices)), '-o', path)
    expect([code, log]).toEqual([expect.any(Number), expect.stringContaining('ENOSPC')])
    expect(code).not.toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  it.each([false, true])('exports a table with its header, gzip: %s', async isGzip => {
    await service.createTable('in.c-transfer', `source${isGzip}`, 'id,name\n1,"a ""quote"""\n2,b\n')
    const path = newPath(isGzip ? 'csv.gz' : 'csv')
    const given = [`in.c-transfer.source${isGzip}`, '-o', path, ...(isGzip ? ['--gzip'] : [])]
    const { code, log } = await millrace('download', ...given)
    expect([code, log]).toEqual([0, expect.anything()])
    const bytes = await readFile(path)
    const [header, ...rows] = parse(isGzip ? gunzipSync(bytes) : bytes) as string[][]
    expect(header).toEqual(['id', 'name'])
    expect(rows.sort()).toEqual([
      ['1', 'a "quote"'],
      ['2', 'b'],
    ])
  })

  it('names the file after the table when no name is given', async () => {
    await service.createTable('in.c-transfer', 'named', 'id\n1\n')
    expect(await millrace('download', 'in.c-transfer.named', '--no-header')).toMatchObject({ code: 0 })
    expect(await readFile(join(folder, 'named.csv'), 'utf8')).toBe('"1"\n')
  })

  it('of compressed slices does not decompress them', async () => {
    const members = [gzipSync('"1"\n'), gzipSync('"2"\n')]
    const { output } = await millrace('download', String(await uploadSlices(members)), '-o', '-')
    expect(gunzipSync(output).toString()).toBe('"1"\n"2"\n')
  })

  it('of a missing file or table says so', async () => {
    expect(await millrace('download', '999999', '-o', '-')).toMatchObject({ code: 1 })
    expect(await millrace('download', 'in.c-transfer.nothing', '-o', '-')).toMatchObject({ code: 1 })
  })
})
