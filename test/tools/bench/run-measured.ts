import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const LOOK_MS = 50

export interface Measured {
  seconds: number
  peakMemoryMb: number
}

/** Runs a program to its end and samples its peak memory. Throws when it fails. */
export const runMeasured = async (
  program: string,
  given: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Measured> => {
  const start = performance.now()
  const child = spawn(program, given, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (bytes: Buffer) => {
    log += bytes.toString()
  })
  let peakMemoryMb = 0
  const looks = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMemoryMb = Math.max(peakMemoryMb, Number(status.match(/VmHWM:\s+(\d+) kB/)?.[1] ?? 0) / 1024)
  }, LOOK_MS)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('exit', resolve)
  }).finally(() => clearInterval(looks))
  if (code !== 0) throw new Error(`${program} ${given[0]} ended with ${code}: ${log}`)
  return { seconds: (performance.now() - start) / 1000, peakMemoryMb }
}
