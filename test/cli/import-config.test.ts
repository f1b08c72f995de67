import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { runMillrace } from '../support/millrace.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const source = {
  client: { base_url: 'https://api.shop.example/v1', auth: { token: 's3cr3t-token' }, paginator: 'auto' },
  resources: ['orders'],
}
const run = (...args: string[]) => {
  writeFileSync(join(folder, 'source.json'), JSON.stringify(source))
  return runMillrace(['import-config', 'source.json', 'shop', '--accept-losses', ...args], {
    workingFolder: folder,
  })
}
const written = (name: string) => readFileSync(join(folder, 'shop', name), 'utf8')

it('writes a configuration for its owner, and says what is not in it', async () => {
  const { code, stdout } = await run()
  expect(code).toBe(0)
  expect(stdout).toContain('config.json: valid, 1 job, from dlt.')
  expect(stdout).toContain('rows are lost: client.paginator: pages are not looked for in a run')
  expect(stdout).toContain('import-report.md: the same list.')
  expect(stdout).not.toContain('s3cr3t-token')
  expect(JSON.parse(written('config.json'))).toMatchObject({
    parameters: { config: { outputBucket: 'shop', '#token': 's3cr3t-token' } },
  })
  expect(statSync(join(folder, 'shop/config.json')).mode & 0o777).toBe(0o600)
  expect(written('import-report.md')).toContain('- `client.paginator`: pages are not looked for')
})

it('speaks of no list where none is printed', async () => {
  const client = { ...source.client, paginator: { type: 'page_number', page: 1 } }
  writeFileSync(join(folder, 'source.json'), JSON.stringify({ ...source, client }))
  const { stdout } = await runMillrace(['import-config', 'source.json', 'shop'], { workingFolder: folder })
  expect(stdout).toContain('import-report.md: nothing that matters is left out.')
  expect(stdout).not.toContain('the same list')
})

it('writes no configuration that would lose rows without a word for it, but the report', async () => {
  writeFileSync(join(folder, 'source.json'), JSON.stringify(source))
  const { code, stderr } = await runMillrace(['import-config', 'source.json', 'shop'], {
    workingFolder: folder,
  })
  expect(code).toBe(1)
  expect(stderr).toContain('client.paginator: pages are not looked for')
  expect(stderr).toContain('--accept-losses')
  expect(existsSync(join(folder, 'shop/config.json'))).toBe(false)
  expect(written('import-report.md')).toContain('## rows are lost')
})

it('tries one page of each stream with the values that it was given', async () => {
  const api = await startApi(({ path, query }, response) => {
    if (path === '/v1/gone') response.statusCode = 404
    return path === '/v1/gone' ? {} : [{ id: query.get('page') ?? 'first' }]
  })
  try {
    writeFileSync(
      join(folder, 'source.json'),
      JSON.stringify({
        client: { base_url: `${api.origin}/v1`, paginator: { type: 'page_number', page: 1 } },
        resources: ['orders', 'gone'],
      }),
    )
    const { stdout } = await runMillrace(['import-config', 'source.json', 'shop', '--try', '--json'], {
      workingFolder: folder,
    })
    expect(JSON.parse(stdout).tried).toEqual([
      { job: 'orders', rows: 1 },
      { job: 'gone', rows: 0, problem: expect.stringContaining('404') },
    ])
    expect(api.requests.map(({ url }) => url)).toEqual(['/v1/orders?page=1', '/v1/gone?page=1'])
  } finally {
    await api.close()
  }
})

it('leaves secrets out on request, and says for programs what is to be filled in', async () => {
  const { stdout } = await run('--no-secrets', '--json')
  expect(written('config.json')).not.toContain('s3cr3t-token')
  expect(JSON.parse(stdout)).toMatchObject({
    format: 'dlt',
    jobs: 1,
    empty: ['#token'],
    losses: [{ path: 'client.paginator' }],
  })
})

it('leaves a configuration that is there as it is, and refuses another format', async () => {
  expect((await run()).code).toBe(0)
  const again = await run()
  expect(again.code).toBe(1)
  expect(again.stderr).toContain('is there already')
  expect((await run('--from', 'other')).code).toBe(1)
})
