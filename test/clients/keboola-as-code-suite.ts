import { execFile } from 'node:child_process'
import { access, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ContractSuite, SuiteResult } from '../contracts/contract-suite.ts'
import { type StartedInstallation, startedInstallation } from '../smoke/installation.ts'
import {
  ask,
  EXTRACTOR,
  expectSameFiles,
  makeProject,
  startApi,
  startSteps,
  TRANSFORMATION,
} from './sync-project.ts'

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

const run = async (kbc: string, service: StartedInstallation): Promise<SuiteResult> => {
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
  const { result, step } = startSteps()

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
    // `project.json` is not compared: its features have the order of a Go map.
    await expectSameFiles([first, second], ['**/*', '.keboola/manifest.json'])
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

/** The schedule that was pushed, and what it runs. */
const newSchedule = async (
  service: StartedInstallation,
): Promise<{ configurationId: string; targetId: string }> => {
  const configurations: { id: string; configuration: { target: { configurationId: string } } }[] = await ask(
    service,
    '/v2/storage/components/keboola.scheduler/configs',
  )
  const pushed = configurations.find(({ id }) => id !== 'often')
  if (!pushed) throw new Error('No schedule was pushed')
  return { configurationId: pushed.id, targetId: pushed.configuration.target.configurationId }
}
