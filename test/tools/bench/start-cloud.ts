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
  /** The most memory that the whole process ever held, in MB. */
  peakMemoryMb: () => Promise<number>
  /** The memory that the whole process holds now, in MB. */
  memoryMb: () => Promise<number>
  /** Processor time of the whole process since its start, user and system, in seconds. */
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
    const memoryOf = async (field: 'VmHWM' | 'VmRSS'): Promise<number> => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(status.match(new RegExp(`${field}:\\s+(\\d+) kB`))?.[1]) / 1024
    }
    const processorSeconds = async (): Promise<number> => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8')
      // The second field is a name in brackets; user and system time are the 14th and 15th, in hundredths of a second.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    }
    return {
      ...Ready.parse(JSON.parse(line)),
      peakMemoryMb: () => memoryOf('VmHWM'),
      memoryMb: () => memoryOf('VmRSS'),
      processorSeconds,
      stop,
    }
  }
  throw new Error('The embedded cloud ended before it was ready')
}
