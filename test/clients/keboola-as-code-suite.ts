import { execFile } from 'node:child_process'
import { access, cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ContractSuite, SuiteResult } from '../contracts/contract-suite.ts'
import { startedInstallation } from '../smoke/installation.ts'

const EXTRACTOR = 'ex-generic-v2'
const TRANSFORMATION = 'keboola.python-transformation-v2'
const SECRET = 'secret-of-kbc'
const LONGEST_SCHEDULE_MS = 180_000

/** What kbc does with a project, by its command as it is: it speaks HTTP/2 with TLS only. */
export const keboolaAsCodeSuite: ContractSuite = {
  name: 'keboola-as-code',
  run: async () => {
    const kbc = join(process.env['MILLRACE_SUITES'] ?? '', 'kbc')
    const isThere = await access(kbc).then(
      () => true,
      () => false,
    )
    if (!process.env['MILLRACE_SUITES'] || !isThere)
      return {
        skipped:
          'MILLRACE_SUITES names no folder with kbc, the command of github.com/keboola/keboola-as-code, which the module proxy does not have.',
      }
    const service = await startedInstallation({ tlsName: 'localhost' })
    try {
      return await run(kbc, service)
    } finally {
      await service.close()
    }
  },
}

type Service = Awaited<ReturnType<typeof startedInstallation>>

const run = async (kbc: string, service: Service): Promise<SuiteResult> => {
  const [first, second] = [join(service.folder, 'first'), join(service.folder, 'second')]
  const host = new URL(service.tls?.api ?? '').host
  const env = {
    ...process.env,
    HOME: service.folder,
    SSL_CERT_FILE: service.tls?.certificate,
    KBC_STORAGE_API_HOST: host,
    KBC_STORAGE_API_TOKEN: service.token,
  }
  const command = async (cwd: string, ...given: string[]): Promise<string> => {
    const options = ['--non-interactive', '--version-check=false', ...given]
    const { stdout, stderr } = await promisify(execFile)(kbc, options, { cwd, env })
    return stdout + stderr
  }
  const init = async (folder: string) => {
    await mkdir(folder)
    await command(folder, 'init', '--branches', 'main', '--ci=false', '--skip-workflows')
  }
  const api = await startApi()
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

  await makeProject(service, api.url)
  await step('init and pull of configurations, rows, variables, shared code and a schedule', () =>
    init(first),
  )
  await step('new configurations from files: persist, encrypt, push', async () => {
    await copyConfigurations(join(first, 'main'))
    await command(first, 'persist')
    await command(first, 'push', '--encrypt')
    if ((await readFile(configFile(first), 'utf8')).includes(SECRET))
      throw new Error('The secret is not sealed')
  })
  await step('no difference after the push', async () => {
    const said = await command(first, 'diff')
    if (!said.includes('No difference.')) throw new Error(said)
  })
  await step('a second clean pull, byte for byte', async () => {
    await init(second)
    const [pushed, pulled] = await Promise.all([contentsOf(first), contentsOf(second)])
    const names = [...new Set([...Object.keys(pushed), ...Object.keys(pulled)])]
    const different = names.filter(name => pushed[name] !== pulled[name])
    if (names.length < 10 || different.length > 0) throw new Error(`Different: ${different.join(', ')}`)
  })
  const { configurationId, targetId } = await newSchedule(service)
  await step('a run of what was pushed opens the secret that kbc had sealed', async () => {
    await command(first, 'remote', 'job', 'run', `${EXTRACTOR}/${targetId}`, '--timeout', '300s')
    if (!api.tokens.has(SECRET)) throw new Error('The API did not get the secret')
  })
  await step('the pushed schedule runs', async () => {
    const deadline = Date.now() + LONGEST_SCHEDULE_MS
    for (;;) {
      const [schedule] = await ask(service, `/scheduler/schedules?configurationId=${targetId}`)
      if (schedule?.configurationId !== configurationId) throw new Error('It was not activated')
      if (schedule.executions.length > 0) return
      if (Date.now() > deadline) throw new Error('It did not run')
      await pause(2_000)
    }
  })
  await step('a branch', async () => {
    await command(first, 'remote', 'create', 'branch', '--name', 'of kbc')
    await access(join(first, 'of-kbc', 'extractor', EXTRACTOR, 'second', 'config.json'))
  })
  api.close()
  return result
}

const configFile = (folder: string) => join(folder, 'main', 'extractor', EXTRACTOR, 'second', 'config.json')

/** A page of rows, and the tokens that it was asked with. */
const startApi = async () => {
  const tokens = new Set<unknown>()
  const server = createServer((request, response) => {
    tokens.add(request.headers['x-token'])
    response.setHeader('content-type', 'application/json').end('[{"id":1}]')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens at a port
  return { url: `http://127.0.0.1:${port}/`, tokens, close: () => server.close() }
}

// biome-ignore lint/suspicious/noExplicitAny: looked into freely
const ask = async ({ url, token }: Service, path: string, body?: object): Promise<any> => {
  const response = await fetch(url + path, {
    headers: { 'X-StorageApi-Token': token, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const makeProject = async (service: Service, baseUrl: string): Promise<void> => {
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

/** As somebody does who wants another one like it, with a secret of its own. */
const copyConfigurations = async (branch: string): Promise<void> => {
  for (const [from, to] of [
    [join(branch, 'extractor', EXTRACTOR, 'shop'), 'second'],
    [join(branch, 'transformation', TRANSFORMATION, 'clean'), 'second'],
  ] as const) {
    const folder = join(from, '..', to)
    await cp(from, folder, { recursive: true })
    await change(join(folder, 'meta.json'), meta => ({ ...meta, name: to }))
  }
  await change(join(branch, 'extractor', EXTRACTOR, 'second', 'config.json'), config => {
    config['parameters'].config['#token'] = SECRET
    return config
  })
}

// biome-ignore lint/suspicious/noExplicitAny: kbc wrote it, and it is what it wrote
const change = async (file: string, how: (json: Record<string, any>) => object): Promise<void> =>
  writeFile(file, `${JSON.stringify(how(JSON.parse(await readFile(file, 'utf8'))), undefined, 2)}\n`)

/** The files of a project by their paths, but for `project.json`, whose features have the order of a Go map. */
const contentsOf = async (folder: string): Promise<Record<string, string>> => {
  const contents: Record<string, string> = {}
  for await (const name of glob(['**/*', '.keboola/manifest.json'], { cwd: folder }))
    contents[name] = await readFile(join(folder, name), 'utf8').catch(() => '')
  return contents
}

/** The schedule that was pushed, and what it runs. */
const newSchedule = async (service: Service): Promise<{ configurationId: string; targetId: string }> => {
  const configurations: { id: string; configuration: { target: { configurationId: string } } }[] = await ask(
    service,
    '/v2/storage/components/keboola.scheduler/configs',
  )
  const pushed = configurations.find(({ id }) => id !== 'often')
  if (!pushed) throw new Error('No schedule was pushed')
  return { configurationId: pushed.id, targetId: pushed.configuration.target.configurationId }
}
