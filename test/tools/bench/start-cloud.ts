import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const Ready = z.object({
  event: z.literal('ready'),
  api: z.string(),
  s3: z.string(),
  region: z.string(),
  token: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  landingBucket: z.string(),
  filesBucket: z.string(),
  exportsBucket: z.string(),
})

export interface StartedCloud extends z.infer<typeof Ready> {
  /** The most memory that its processes held at a look, in MB. */
  peakMemoryMb: () => Promise<number>
  /** Processor time of its processes since their start, user and system, in seconds. */
  processorSeconds: () => Promise<number>
  stop: () => Promise<void>
}

const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('A listening server has a port')
  return address.port
}

/** `npm start` in a process of its own, on free ports. */
export const startCloud = async (dataDir: string): Promise<StartedCloud> => {
  const cli = join(import.meta.dirname, '../../../cli/bin.js')
  const child = spawn(process.execPath, [cli, 'start'], {
    env: {
      ...process.env,
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_API_PORT: String(await findFreePort()),
      MILLRACE_S3_PORT: String(await findFreePort()),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('{')) continue
    return { ...Ready.parse(JSON.parse(line)), ...watched(child.pid ?? 0), stop }
  }
  throw new Error('The embedded cloud ended before it was ready')
}

const LOOK_EVERY_MS = 250

/** Looks at a process and its children while it runs: what they hold, each shared page once, and what they have computed. */
const watched = (pid: number): Pick<StartedCloud, 'peakMemoryMb' | 'processorSeconds'> => {
  let peak = 0
  /** Of those that have ended, too. */
  const seconds = new Map<number, number>()
  const look = async (): Promise<void> => {
    let memory = 0
    for (const each of [pid, ...(await childrenOf(pid))]) {
      const memoryMap = await readFile(`/proc/${each}/smaps_rollup`, 'utf8').catch(() => '')
      memory += Number(memoryMap.match(/^Pss:\s+(\d+) kB/m)?.[1] ?? 0) / 1024
      const stat = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '')
      // The second field is a name in brackets; user and system time are the 14th and 15th, in hundredths of a second.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (stat !== '') seconds.set(each, (Number(fields[11]) + Number(fields[12])) / 100)
    }
    peak = Math.max(peak, memory)
  }
  setInterval(() => void look(), LOOK_EVERY_MS).unref()
  return {
    peakMemoryMb: async () => {
      await look()
      return peak
    },
    processorSeconds: async () => {
      await look()
      return [...seconds.values()].reduce((sum, each) => sum + each, 0)
    },
  }
}

const childrenOf = async (pid: number): Promise<number[]> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children.split(' ').filter(Boolean).map(Number)
}
