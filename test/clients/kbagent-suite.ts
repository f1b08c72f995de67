import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ContractSuite, SuiteResult } from '../contracts/contract-suite.ts'
import { fetchPython } from '../contracts/implementations/cache.ts'
import { type StartedInstallation, startedInstallation } from '../smoke/installation.ts'
import { asOneStack, STACK } from './one-stack.ts'
import { ask, EXTRACTOR, expectSameFiles, makeProject, startApi, startSteps } from './sync-project.ts'

const RELEASE = 'keboola-cli==0.100.2'
const SECRET = 'secret-of-kbagent'

/** What kbagent's `sync` does with a project, by its command as it is. */
export const kbagentSuite: ContractSuite = {
  name: 'kbagent',
  run: async () => {
    const environment = await fetchPython([RELEASE])
    if (!environment) return { skipped: `Python 3.12 or newer could not bring ${RELEASE}.` }
    const service = await startedInstallation({ tlsName: STACK })
    try {
      return await run(environment, service)
    } finally {
      await service.close()
    }
  },
}

const run = async (environment: NodeJS.ProcessEnv, service: StartedInstallation): Promise<SuiteResult> => {
  const [first, second] = [join(service.folder, 'first'), join(service.folder, 'second')]
  const env = {
    ...(await asOneStack(environment, service)),
    HOME: service.folder,
    KBC_STORAGE_API_URL: `https://connection.${STACK}`,
    KBC_TOKEN: service.token,
    KBAGENT_SKIP_UPDATE: '1',
    KBAGENT_DISABLE_TELEMETRY: '1',
  }
  // biome-ignore lint/suspicious/noExplicitAny: looked into freely
  const command = async (cwd: string, ...given: string[]): Promise<any> => {
    const said = await promisify(execFile)('kbagent', ['--json', ...given, '--project', 'here'], { cwd, env })
    // It goes on without what it could not read.
    if (said.stderr.includes('Traceback')) throw new Error(said.stderr)
    return JSON.parse(said.stdout).data
  }
  const expectNoDifference = async (): Promise<void> => {
    const { changes } = await command(first, 'sync', 'diff')
    if (changes.length > 0) throw new Error(JSON.stringify(changes))
  }
  const pull = async (folder: string): Promise<void> => {
    await mkdir(folder)
    await command(folder, 'sync', 'init')
    await command(folder, 'sync', 'pull')
  }
  const configurations = (): Promise<{ id: string; name: string; rows: { configuration: object }[] }[]> =>
    ask(service, `/v2/storage/components/${EXTRACTOR}/configs`)
  const api = await startApi()
  const { result, step } = startSteps()

  await makeProject(service, api.url)
  await command(service.folder, 'project', 'add')
  await step('init and pull of configurations, rows, variables, shared code and a schedule', async () => {
    await pull(first)
    await expectNoDifference()
  })
  await step('a changed row and a new configuration with a secret: push', async () => {
    const extractor = join(first, 'main', 'extractor', EXTRACTOR)
    await cp(join(extractor, 'shop', '_config.yml'), join(extractor, 'second', '_config.yml'))
    await change(join(extractor, 'second', '_config.yml'), text =>
      text
        .replace('name: shop', 'name: second')
        .replace(/'#token': .*/, `'#token': ${SECRET}`)
        .replace(/^ *config_id: .*\n/m, ''),
    )
    await change(join(extractor, 'shop', 'rows', 'orders', '_config.yml'), text =>
      text.replace('endpoint: orders', 'endpoint: orders?changed'),
    )
    await command(first, 'sync', 'push')
    if ((await readFile(join(extractor, 'second', '_config.yml'), 'utf8')).includes(SECRET))
      throw new Error('The secret is not sealed')
    const shop = (await configurations()).find(({ id }) => id === 'shop')
    if (!JSON.stringify(shop?.rows).includes('orders?changed')) throw new Error('The row is as it was')
  })
  await step('no difference after the push', expectNoDifference)
  await step('a second clean pull, byte for byte', async () => {
    await pull(second)
    await expectSameFiles([first, second], ['main/**/*'])
  })
  await step('a run of what was pulled', async () => {
    const { status } = await command(
      first,
      ...['job', 'run', '--component-id', EXTRACTOR, '--config-id', 'shop', '--wait'],
    )
    if (status !== 'success' || !api.tokens.has('first')) throw new Error(`The run is ${status}`)
  })
  await step('a removed folder: push deletes its configuration', async () => {
    await rm(join(first, 'main', 'extractor', EXTRACTOR, 'second'), { recursive: true })
    await command(first, 'sync', 'push', '--force')
    if ((await configurations()).some(({ name }) => name === 'second')) throw new Error('It is still there')
    await expectNoDifference()
  })
  api.close()
  return result
}

const change = async (file: string, how: (text: string) => string): Promise<void> =>
  writeFile(file, how(await readFile(file, 'utf8')))
