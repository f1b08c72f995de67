import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../../cli/main.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { runMillrace } from '../support/millrace.ts'
import { untilEnd } from '../support/until-end.ts'

let folder: string
let count = 0

const api = await untilEnd(
  startApi(({ query, headers }, response) => {
    if (headers.authorization !== undefined && headers.authorization !== 'Bearer s3cr3t-token') {
      response.statusCode = 401
      return { error: `wrong: ${headers.authorization}` }
    }
    const after = Number(query.get('after') ?? 0)
    return {
      data: [
        { id: after + 1, by: headers.authorization ?? 'nobody' },
        { id: after + 2, by: 'x' },
      ],
      next_cursor: null,
      paging: after < 4 ? { after: after + 2 } : {},
    }
  }),
)
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'init-cli-')), String(count++))
  api.requests.length = 0
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const init = (args: string[], environment = {}) => runMillrace(['init', folder, ...args], { environment })
const written = () =>
  JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as { parameters: Record<string, object> }

describe('millrace init --curl', () => {
  it('sends two requests, writes a configuration that runs, says each decision and shows rows', async () => {
    const { code, stdout } = await init([
      '--yes',
      '--rows',
      '2',
      '--curl',
      `curl ${api.origin}/v1/orders?limit=2`,
    ])
    expect(code).toBe(0)
    expect(api.requests.map(({ url }) => url)).toEqual(['/v1/orders?limit=2', '/v1/orders?limit=2&after=2'])
    expect(written().parameters['api']).toMatchObject({
      baseUrl: `${api.origin}/v1/`,
      pagination: { method: 'json-cursor', param: 'after', cursorPath: 'paging.after' },
    })
    for (const part of [
      'config.json: valid, 1 job.',
      'api.pagination: Proven by a second request: 2 other rows.',
      'config.jobs.0: The rows are the list at "data": 2 in the first answer.',
      '\norders (2 rows)',
      'id  by',
    ])
      expect(stdout).toContain(part)
    const run = await runMillrace(['extract', folder])
    expect(run.code).toBe(0)
    expect(readFileSync(join(folder, 'out/tables/api.orders'), 'utf8').split('\n')).toHaveLength(8)
  })

  it('keeps secrets out of what it prints, and in a file for its owner alone', async () => {
    const command = `curl -H "Authorization: Bearer $TOKEN" ${api.origin}/orders`
    const { code, stdout, stderr } = await init(['--yes', '--curl', command], { TOKEN: 's3cr3t-token' })
    expect(code).toBe(0)
    // The API repeats the header in its rows
    expect(stdout).toContain('Bearer ***')
    expect(stdout + stderr).not.toContain('s3cr3t-token')
    expect(stdout).toContain('#token in clear text')
    expect(written().parameters['config']).toMatchObject({ '#token': 's3cr3t-token' })
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600)
  })

  it('--no-secrets leaves them empty', async () => {
    const command = `curl -H "Authorization: Bearer s3cr3t-token" ${api.origin}/orders`
    const { stdout } = await init(['--yes', '--no-secrets', '--curl', command])
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toContain('s3cr3t-token')
    expect(stdout).toContain('#token left empty')
  })

  it('says what the API refuses, without the secret, and writes nothing', async () => {
    const { code, stderr } = await init([
      '--yes',
      '--curl',
      `curl --oauth2-bearer wr0ng-token ${api.origin}/orders`,
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('401')
    expect(stderr).not.toContain('wr0ng-token')
    expect(api.requests).toHaveLength(1)
    expect(() => written()).toThrow(/ENOENT/)
  })

  it('sends nothing where nobody can be asked, and where a configuration is there already', async () => {
    const { code, stderr } = await init(['--curl', `curl ${api.origin}/orders`])
    expect(code).toBe(1)
    expect(stderr).toContain('give --yes')
    expect((await init(['--yes', '--curl', `curl ${api.origin}/orders`])).code).toBe(0)
    api.requests.length = 0
    const again = await init(['--yes', '--curl', `curl ${api.origin}/orders`])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('is there already')
    expect(api.requests).toEqual([])
  })

  it.each([
    ['n', 0],
    ['y', 2],
  ])('asks on a terminal; the answer %s sends %d requests', async (answer, requests) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.end(`${answer}\n`)
    let shown = ''
    const stderr = new PassThrough().on('data', (chunk: Buffer) => {
      shown += chunk.toString()
    })
    const code = await main(['init', folder, '--curl', `curl ${api.origin}/orders`], {
      stdin,
      stdout: new PassThrough().resume(),
      stderr,
      environment: {},
      workingFolder: process.cwd(),
      onInterrupt: () => new AbortController().signal,
    })
    expect(code).toBe(0)
    expect(shown).toContain(`Send up to two requests: GET ${api.origin}/orders? [y/N]`)
    expect(api.requests).toHaveLength(requests)
  })
})

it('says what is missing', async () => {
  expect((await init([])).stderr).toContain('Give a curl command that works: --curl.')
})
