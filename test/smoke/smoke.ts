import { parseArgs } from 'node:util'
import { consoleSteps } from './console-steps.ts'
import { deployedInstallation } from './deployed-environment.ts'
import { extractionSteps } from './extraction-steps.ts'
import { failureSteps } from './failure-steps.ts'
import {
  type Installation,
  installationAt,
  installationOfStack,
  startedInstallation,
} from './installation.ts'
import { largeSteps } from './large-steps.ts'
import { runProbes } from './probes.ts'
import { runSteps } from './run-steps.ts'
import { openSmoke } from './smoke-context.ts'
import { tableSteps } from './table-steps.ts'

const USAGE = `npm run smoke                          npm start in a folder of its own
npm run smoke -- --url URL --token T   a service that runs; with MILLRACE_DATA_DIR on this machine, all steps
npm run smoke -- --stack NAME          a stack in the account of the credentials
npm run smoke -- --deploy              an environment of its own in that account, destroyed at the end
  --large-bytes N                      bytes of a load that outgrows one function there`

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    stack: { type: 'string' },
    deploy: { type: 'boolean', default: false },
    'large-bytes': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const print = (line: string): void => console.log(line)

const findInstallation = (): Promise<Installation> => {
  const { url, token, stack, deploy } = values
  const largeBytes = values['large-bytes'] === undefined ? undefined : Number(values['large-bytes'])
  if (deploy) return deployedInstallation(`smoke-${Date.now().toString(36)}`, largeBytes)
  if (stack !== undefined) return installationOfStack(stack, largeBytes)
  if (url === undefined) return startedInstallation({ largeBytes })
  if (token === undefined) throw new Error(`--url needs --token.\n${USAGE}`)
  return installationAt(url.replace(/\/$/, ''), token, largeBytes)
}

/** Rejects when somebody wants the smoke test to end, which then takes away what it has made. */
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => reject(new Error(`Interrupted by ${signal}`)))
})
interrupted.catch(() => {})

const steps = { ...consoleSteps, ...tableSteps, ...extractionSteps, ...failureSteps, ...largeSteps }

const smokeTest = async (): Promise<number> => {
  const installation = await findInstallation()
  try {
    print(`smoke test of ${installation.url}`)
    const smoke = await openSmoke(installation)
    try {
      const { passed, failed, skipped } = await Promise.race([runSteps(steps, smoke, print), interrupted])
      await runProbes(smoke, print)
      print(`${passed} passed, ${failed} failed, ${skipped} skipped`)
      return failed
    } finally {
      await smoke.close()
    }
  } finally {
    await installation.close()
  }
}

if (values.help) print(USAGE)
else process.exitCode = (await smokeTest()) === 0 ? 0 : 1
