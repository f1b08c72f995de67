import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
  return runMillrace(['import-config', 'source.json', 'shop', ...args], { workingFolder: folder })
}
const written = (name: string) => readFileSync(join(folder, 'shop', name), 'utf8')

it('writes a configuration for its owner, and says what is not in it', async () => {
  const { code, stdout } = await run()
  expect(code).toBe(0)
  expect(stdout).toContain('config.json: valid, 1 job, from dlt.')
  expect(stdout).toContain('asked differently: client.paginator: pages are not looked for in a run')
  expect(stdout).not.toContain('s3cr3t-token')
  expect(JSON.parse(written('config.json'))).toMatchObject({
    parameters: { config: { outputBucket: 'shop', '#token': 's3cr3t-token' } },
  })
  expect(statSync(join(folder, 'shop/config.json')).mode & 0o777).toBe(0o600)
  expect(written('import-report.md')).toContain('- `client.paginator`: pages are not looked for')
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
