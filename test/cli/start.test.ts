import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { folderUntilEnd } from '#support/until-end.ts'
import { isDirectoryLocked } from '../../local/runtime/directory-lock.ts'
import { projectRoot } from '../../local/runtime/project-root.ts'
import { eventually } from '../support/eventually.ts'

const folder = folderUntilEnd()

const start = (settings: Record<string, string>) => {
  const program = join(import.meta.dirname, '..', '..', 'cli', 'bin.js')
  const child = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      MILLRACE_API_PORT: '0',
      MILLRACE_S3_PORT: '0',
      MILLRACE_DATA_DIR: join(folder, 'data'),
      ...settings,
    },
  })
  return { child, stdout: text(child.stdout), stderr: text(child.stderr), exited: once(child, 'exit') }
}

/** The process began again with bounds, as itself: signals reach it, and its output is the same. */
const expectBoundedMemory = async (pid: number | undefined): Promise<void> => {
  const of = async (name: string) => (await readFile(`/proc/${pid}/${name}`, 'utf8')).split('\0')
  expect(await of('cmdline')).toContain('--max-semi-space-size=2')
  expect(await of('environ')).toContain('MALLOC_ARENA_MAX=2')
}

const readyLine = z.strictObject({
  event: z.literal('ready'),
  api: z.url(),
  import: z.url(),
  s3: z.url(),
  region: z.literal('us-east-1'),
  token: z.literal('my-master-token'),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  landingBucket: z.string(),
  filesBucket: z.string(),
  exportsBucket: z.string(),
})

describe('millrace start', () => {
  it('prints exactly one ready line on stdout, and ends with exit code 0 on SIGTERM', async () => {
    const { child, stdout, stderr, exited } = start({ MILLRACE_TOKEN: 'my-master-token' })
    try {
      const endedEarly = exited.then(async () => {
        throw new Error(await stderr)
      })
      const [chunk] = await Promise.race([once(child.stdout, 'data'), endedEarly])
      endedEarly.catch(() => {}) // From here on it is meant to end.
      const ready = readyLine.parse(JSON.parse(String(chunk)))
      const verified = await fetch(`${ready.api}/v2/storage/tokens/verify`, {
        headers: { 'X-StorageApi-Token': ready.token },
      })
      expect(verified.status).toBe(200)
      if (process.platform === 'linux') await expectBoundedMemory(child.pid)
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
      expect((await stdout).trimEnd().split('\n')).toHaveLength(1)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('ends with npm: a signal to npm start leaves no process behind', async () => {
    const dataDir = join(folder, 'npm')
    const child = spawn('npm', ['start', '--silent'], {
      cwd: projectRoot,
      detached: true, // A group of its own, which ends as a whole when the test fails.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, MILLRACE_API_PORT: '0', MILLRACE_S3_PORT: '0', MILLRACE_DATA_DIR: dataDir },
    })
    const ready = z.object({ event: z.literal('ready') })
    const exited = once(child, 'exit')
    try {
      const [chunk] = await once(child.stdout, 'data')
      ready.parse(JSON.parse(String(chunk)))
      expect(isDirectoryLocked(dataDir)).toBe(true)
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
      expect(isDirectoryLocked(dataDir)).toBe(false)
    } finally {
      if (child.pid !== undefined && isDirectoryLocked(dataDir)) process.kill(-child.pid, 'SIGKILL')
    }
  })

  it('writes files that only their owner reads, whatever the umask and the mode of the folder, and ends with exit code 0 on SIGINT', async () => {
    const dataDir = join(folder, 'open')
    await mkdir(dataDir)
    await chmod(dataDir, 0o755)
    const umask = process.umask(0o000)
    const { child, exited } = start({ MILLRACE_DATA_DIR: dataDir })
    process.umask(umask)
    try {
      await once(child.stdout, 'data')
      // Again when a file has gone between the two: the cloud is at work.
      const modes = await eventually(async () => {
        const names = ['.', ...(await readdir(dataDir, { recursive: true }))]
        return Promise.all(
          names.map(async name => {
            const { mode } = await stat(join(dataDir, name))
            return { name, mode: (mode & 0o777).toString(8) }
          }),
        )
      })
      expect(modes.length).toBeGreaterThan(20)
      expect(modes.filter(({ mode }) => !mode.endsWith('00'))).toEqual([])
      child.kill('SIGINT')
      expect(await exited).toEqual([0, null])
    } finally {
      child.kill('SIGKILL')
      await exited
    }
  })

  it('ends when its data directory is removed, and says so', async () => {
    const dataDir = join(folder, 'removed')
    const { child, stderr, exited } = start({ MILLRACE_DATA_DIR: dataDir })
    try {
      await once(child.stdout, 'data')
      await rename(dataDir, `${dataDir}-elsewhere`)
      expect(await exited).toEqual([1, null])
      expect(await stderr).toContain(`${dataDir} was removed while the embedded cloud ran`)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it.each(['MILLRACE_S3_PORT', 'MILLRACE_API_PORT'])(
    'names the port and %s when the port is in use',
    async name => {
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      const address = occupant.address()
      const port = typeof address === 'object' && address ? String(address.port) : ''
      try {
        const { stdout, stderr, exited } = start({ [name]: port, MILLRACE_DATA_DIR: join(folder, name) })
        expect(await exited).toEqual([1, null])
        expect(await stderr).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}: the port is in use.*${name}`))
        expect(await stdout).toBe('')
      } finally {
        occupant.close()
      }
    },
  )

  it('names the data directory when it cannot be used', async () => {
    const { stderr, exited } = start({ MILLRACE_DATA_DIR: join(import.meta.filename, 'inside-a-file') })
    expect(await exited).toEqual([1, null])
    expect(await stderr).toContain('MILLRACE_DATA_DIR')
  })
})
