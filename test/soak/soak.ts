import { readArguments, type SoakArguments, usage } from './arguments.ts'
import { runSoak } from './run-soak.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

const readOrLeave = (): SoakArguments => {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    say(`Usage: ${usage}`)
    process.exit(2)
  }
}

// So that the cloud ends with the soak.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const report = await runSoak({ ...readOrLeave(), log: say })
for (const { step, subject, message } of report.differences)
  say(`seed ${report.seed}, step ${step}: ${subject}: ${message}`)
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exitCode = report.differences.length === 0 ? 0 : 1
