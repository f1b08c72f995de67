import { spawn } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startTestS3, testRoot } from '#support/embedded-s3.ts'
import type { ContractSuite, SuiteResult } from '../contract-suite.ts'
import { fetchPython } from '../implementations/cache.ts'
import { differences, refusedByName } from './listed-differences.ts'

const packages = [
  'boto3==1.44.8',
  'isodate==0.7.2',
  'munch==4.0.0',
  'pytest==9.2.0',
  'pytz==2026.6',
  'requests==2.34.2',
]

/** The public suite of S3 (ceph/s3-tests), unmodified, against the embedded S3. Nothing brings it: it is in no package. */
export const s3TestsSuite: ContractSuite = {
  name: 's3-tests',
  run: async () => {
    const suites = process.env['MILLRACE_SUITES']
    const folder = suites && join(suites, 's3-tests')
    const isThere =
      folder &&
      (await access(join(folder, 's3tests')).then(
        () => true,
        () => false,
      ))
    if (!folder || !isThere)
      return {
        skipped: 'MILLRACE_SUITES names no folder with a copy of github.com/ceph/s3-tests in s3-tests.',
      }
    const env = await fetchPython(packages)
    if (env === undefined) return { skipped: `Python could not bring ${packages.join(', ')}.` }
    const store = await startTestS3()
    const scratch = await mkdtemp(join(tmpdir(), 's3-tests-'))
    try {
      const settings = join(scratch, 's3tests.conf')
      await writeFile(settings, settingsOf(store.s3.port))
      // CI: whole lines in the summary.
      const given = [
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        '--tb=no',
        '-rfE',
        's3tests/functional/test_s3.py',
      ]
      const tests = spawn('python3', given, {
        cwd: folder,
        env: { ...env, S3TEST_CONF: settings, CI: '1', PYTHONDONTWRITEBYTECODE: '1' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      return judge(await text(tests.stdout))
    } finally {
      await store.close()
      await rm(scratch, { recursive: true, force: true })
    }
  },
}

/** There is one account: all users of the suite are it. */
const settingsOf = (port: number): string => {
  const { accessKeyId, secretAccessKey } = testRoot
  const user = `access_key = ${accessKeyId}\nsecret_key = ${secretAccessKey}\ndisplay_name = local\nuser_id = 000000000000\nemail = a@example.com\n`
  const users = ['s3 main', 's3 alt', 's3 tenant', 'iam', 'iam root', 'iam alt root']
  return (
    `[DEFAULT]\nhost = 127.0.0.1\nport = ${port}\nis_secure = False\n[fixtures]\nbucket prefix = s3tests-{random}-\n` +
    users.map(name => `[${name}]\n${user}tenant = none\n`).join('')
  )
}

/** A failure is listed by what the store refuses by name, or by the name of the test. */
const judge = (output: string): SuiteResult => {
  const failures = [...output.matchAll(/^(?:FAILED|ERROR) \S+?::(\S+)(.*)$/gm)].map(
    ([, test = '', why = '']) => ({
      test,
      why,
    }),
  )
  const passed = Number(/(\d+) passed/.exec(output)?.[1] ?? 0)
  const unexpected = failures.filter(({ test, why }) => !(test in differences) && !refusedByName.test(why))
  const passing = Object.keys(differences).filter(name => failures.every(({ test }) => test !== name))
  for (const { test, why } of unexpected) console.error(`${test}${why}`)
  for (const name of passing) console.error(`No longer different, so no longer to be listed: ${name}`)
  return {
    passed,
    failed: unexpected.length + passing.length + Number(passed === 0),
    differing: failures.length - unexpected.length,
  }
}
