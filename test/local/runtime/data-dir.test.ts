import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DATA_FORMAT } from '#lib/storage/db/data-format.ts'
import { realDisk } from '#local/durable/disk.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { openDataDir } from '#local/runtime/data-dir.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

let folders = 0
const newFolder = async (mode = 0o700) => {
  const path = join(folder, String(folders++))
  await mkdir(path)
  await chmod(path, mode)
  return path
}

const open = async (path: string, waitMs = 0) => {
  const lines: string[] = []
  const dataDir = await openDataDir(path, { log: line => lines.push(line), waitMs })
  return { ...dataDir, lines }
}

/** Another process that holds the folder, until it is killed. */
const holdElsewhere = async (path: string) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hold-data-dir.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

describe('the format of the data directory', () => {
  const markOf = (path: string) => readFile(join(path, 'format'), 'utf8')

  it('is noted in a folder without data, and read from then on', async () => {
    const path = await newFolder()
    await mkdir(join(path, 'logs'))
    for (let start = 0; start < 2; start++) {
      await (await open(path)).release()
      expect(await markOf(path)).toBe(`${DATA_FORMAT}\n`)
    }
  })

  it.each(['1\n', '2\n', '9\n', ''])('that is another one is refused: %j', async format => {
    const path = await newFolder()
    await writeFile(join(path, 'format'), format)
    await expect(open(path)).rejects.toThrow(
      `written by another version of Millrace (its format is ${format.trim()}; this version reads ${DATA_FORMAT}). Start that ` +
        'version to use or export it, or start this one with another data directory (MILLRACE_DATA_DIR)',
    )
    expect(await markOf(path)).toBe(format)
  })

  it('that is not noted where there are data is refused, and the data stay', async () => {
    const path = await newFolder()
    await mkdir(join(path, 'items'))
    for (let start = 0; start < 2; start++)
      await expect(open(path)).rejects.toThrow(`its format is not noted; this version reads ${DATA_FORMAT}`)
    expect(await readdir(path)).not.toContain('format')
  })

  it('is stored before any data: a start that died at any write of the folder is repeated', async () => {
    for (let limit = 0; ; limit++) {
      const path = await newFolder()
      let writes = 0
      const dying =
        <Parameters extends unknown[], Result>(write: (...given: Parameters) => Promise<Result>) =>
        async (...given: Parameters): Promise<Result> => {
          if (writes++ >= limit) throw new Error('the process is gone')
          return write(...given)
        }
      const disk = {
        ...realDisk,
        create: dying(realDisk.create),
        rename: dying(realDisk.rename),
        syncFolder: dying(realDisk.syncFolder),
      }
      const files = new DurableFiles({ durability: 'full', disk })
      const died = await openDataDir(path, { files, log: () => {}, waitMs: 0 }).then(
        async ({ release }) => {
          release()
          return false
        },
        () => true,
      )
      const names = await readdir(path)
      expect(names.includes('root-credentials.json') && !names.includes('format')).toBe(false)
      await (await open(path)).release()
      if (!died) break
    }
  })
})

describe('the lock of the data directory', () => {
  it('does not trust an old process id that another process has now', async () => {
    const path = await newFolder()
    await writeFile(join(path, 'lock-holder.txt'), `process ${process.ppid}`)
    await (await open(path)).release()
  })

  it('names the process that holds it', async () => {
    const path = await newFolder()
    const holder = await holdElsewhere(path)
    try {
      await expect(open(path)).rejects.toThrow(`in use by process ${holder.pid} (started `)
    } finally {
      await holder.kill()
    }
  })

  it('dies with its holder', async () => {
    const path = await newFolder()
    await (await holdElsewhere(path)).kill()
    await (await open(path)).release()
  })

  it('is waited for while its holder stops', async () => {
    const path = await newFolder()
    const holder = await holdElsewhere(path)
    const opening = open(path, 300_000)
    await holder.kill()
    await (await opening).release()
  })

  it('excludes the same process too, until it is released', async () => {
    const path = await newFolder()
    const first = await open(path)
    await expect(open(path)).rejects.toThrow(`process ${process.pid}`)
    await first.release()
    const second = await open(path)
    expect(second.root).toEqual(first.root)
    await second.release()
  })
})

describe('the data directory', () => {
  it('is created for its owner only', async () => {
    const path = join(await newFolder(), 'new')
    const dataDir = await open(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect(dataDir.lines).toEqual([])
    await dataDir.release()
  })

  it('is new until a process has held it', async () => {
    const path = await newFolder()
    const first = await open(path)
    await first.release()
    const second = await open(path)
    await second.release()
    expect([first.isNew, second.isNew]).toEqual([true, false])
  })

  it('is closed to other users, with a log line, when it was open to them', async () => {
    const path = await newFolder(0o755)
    const dataDir = await open(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect(dataDir.lines).toEqual([expect.stringContaining(`${path} was open to other users`)])
    await dataDir.release()
  })

  it('is refused, untouched, when it belongs to another user', async () => {
    const isRoot = process.getuid?.() === 0
    const path = isRoot ? await newFolder(0o777) : '/'
    if (isRoot) await chown(path, 12_345, 12_345)
    const { mode } = await stat(path)
    await expect(open(path)).rejects.toThrow(/belongs to another user .*MILLRACE_DATA_DIR/s)
    expect((await stat(path)).mode).toBe(mode)
    if (isRoot) expect(await readdir(path)).toEqual([])
  })
})
