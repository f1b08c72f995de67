import { glob, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Installation } from '../smoke/installation.ts'

/* What the suites of commands that keep a project in files have in common. */

export const EXTRACTOR = 'ex-generic-v2'
export const TRANSFORMATION = 'keboola.python-transformation-v2'

/** Takes steps one after another, and counts what became of them. */
export const startSteps = () => {
  const result = { passed: 0, failed: 0 }
  const step = async (what: string, does: () => Promise<void>): Promise<void> => {
    try {
      await does()
      result.passed += 1
      console.log(`  ok: ${what}`)
    } catch (error) {
      result.failed += 1
      console.error(`  FAILED: ${what}`, error)
    }
  }
  return { result, step }
}

/** A page of rows, and the tokens that it was asked with. */
export const startApi = async () => {
  const tokens = new Set<unknown>()
  const server = createServer((request, response) => {
    tokens.add(request.headers['x-token'])
    response.setHeader('content-type', 'application/json').end('[{"id":1}]')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens at a port
  return { url: `http://127.0.0.1:${port}/`, tokens, close: () => server.close() }
}

export const ask = async (
  { url, token }: Installation,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: looked into freely
): Promise<any> => {
  const response = await fetch(url + path, {
    headers: { 'X-StorageApi-Token': token, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Configurations with rows, variables, shared code, a secret and a schedule. */
export const makeProject = async (service: Installation, baseUrl: string): Promise<void> => {
  const create = (component: string, configurationId: string, configuration: object) =>
    ask(service, `/v2/storage/components/${component}/configs`, {
      configurationId,
      name: configurationId,
      configuration,
    })
  const row = (component: string, configurationId: string, rowId: string, configuration: object) =>
    ask(service, `/v2/storage/components/${component}/configs/${configurationId}/rows`, {
      rowId,
      name: rowId,
      configuration,
    })
  const api = { baseUrl, http: { headers: { 'X-Token': { attr: '#token' } } } }
  await create(EXTRACTOR, 'shop', {
    parameters: { api, config: { outputBucket: 'shop', '#token': 'first' } },
  })
  await row(EXTRACTOR, 'shop', 'orders', { parameters: { config: { jobs: [{ endpoint: 'orders' }] } } })
  await create('keboola.scheduler', 'often', {
    schedule: { cronTab: '* * * * *', timezone: 'UTC', state: 'enabled' },
    target: { componentId: EXTRACTOR, configurationId: 'shop', mode: 'run' },
  })
  await create('keboola.variables', 'variables', { variables: [{ name: 'region', type: 'string' }] })
  await row('keboola.variables', 'variables', 'default', { values: [{ name: 'region', value: 'eu' }] })
  await create('keboola.shared-code', 'code', { componentId: TRANSFORMATION })
  await row('keboola.shared-code', 'code', 'shared', { code_content: ['print(1)'] })
  await create(TRANSFORMATION, 'clean', {
    parameters: { blocks: [{ name: 'Block', codes: [{ name: 'Code', script: ['{{shared}}'] }] }] },
    shared_code_id: 'code',
    shared_code_row_ids: ['shared'],
    variables_id: 'variables',
    variables_values_id: 'default',
  })
}

/** Files of two folders that match these patterns: their names and their bytes. */
export const expectSameFiles = async (
  folders: readonly [string, string],
  patterns: readonly string[],
): Promise<void> => {
  const [one, other] = await Promise.all(folders.map(folder => contentsOf(folder, patterns)))
  const names = [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])]
  const different = names.filter(name => one?.[name] !== other?.[name])
  if (names.length < 10 || different.length > 0) throw new Error(`Different: ${different.join(', ')}`)
}

const contentsOf = async (folder: string, patterns: readonly string[]): Promise<Record<string, string>> => {
  const contents: Record<string, string> = {}
  for await (const name of glob([...patterns], { cwd: folder }))
    contents[name] = await readFile(join(folder, name), 'utf8').catch(() => '')
  return contents
}
