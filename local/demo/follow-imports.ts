import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddedCloud } from '../runtime/embedded-cloud.ts'

/** How long after the upload the execution may appear. */
const PATIENCE_SECONDS = 20
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/** Follows the executions of the import machine, one after the other, with a line of progress on the terminal. */
export const followImports = ({ host, describeOutputs }: EmbeddedCloud): { next: () => Promise<void> } => {
  const { machines } = host
  const machineArn = describeOutputs()['ImportMachineArn'] ?? ''
  const seen = new Set<string>()

  const newExecution = async (): Promise<string | undefined> => {
    const { executions } = await machines.list(machineArn)
    return executions.map(({ executionArn }) => executionArn).find(arn => !seen.has(arn))
  }

  const next = async (): Promise<void> => {
    const startedAt = performance.now()
    let executionArn: string | undefined
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.3, LONGEST_PAUSE_MS)) {
      const seconds = (performance.now() - startedAt) / 1000
      if (executionArn === undefined) {
        if (seconds > PATIENCE_SECONDS) throw new Error('No execution of the import machine has started')
        executionArn = await newExecution()
        if (executionArn !== undefined) pauseMs = FIRST_PAUSE_MS
      } else {
        seen.add(executionArn)
        const { status = '', error, cause } = (await machines.describe({ executionArn })) ?? {}
        showProgress(`  import ${status.toLowerCase()}, ${seconds.toFixed(1)} s`, status !== 'RUNNING')
        if (status === 'SUCCEEDED') return
        if (status !== 'RUNNING') throw new Error(`The import ended as ${status}: ${error}: ${cause}`)
      }
      await sleep(pauseMs)
    }
  }
  return { next }
}

/** Rewrites one line on a terminal; elsewhere prints only the last text. */
const showProgress = (line: string, isLast: boolean): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}${isLast ? '\n' : ''}`)
  else if (isLast) process.stdout.write(`${line}\n`)
}
