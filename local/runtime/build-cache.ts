import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digestBytes } from '#lib/digests.ts'

interface BuildCacheOptions {
  /** Holds one folder per state of the sources. */
  readonly folder: string
  /** Files and folders that the result is made from. A missing one counts as empty. */
  readonly sources: readonly string[]
  /** Makes the result at `target`, which does not exist yet. What else lies in the folder of that goes with it. */
  readonly build: (target: string) => Promise<void>
}

/** Branches that one person switches between, besides the present one. */
const unusedKept = 3

/** How long a result counts as in use after it was last marked. */
const inUseMs = 3_600_000

/**
 * The folder built from the current sources; built at most once per state of the sources.
 *
 * Several may build at once: each uses its own folder and the first rename wins. A result whose sources changed
 * during the build is used by its caller and never found again.
 */
export const cachedBuild = async ({ folder, sources, build }: BuildCacheOptions): Promise<string> => {
  const digest = await digestOf(sources)
  const result = join(folder, digest)
  if (existsSync(result)) {
    await touch(result)
    return result
  }
  await mkdir(folder, { recursive: true })
  const unfinished = await mkdtemp(join(folder, 'unfinished-'))
  try {
    const target = join(unfinished, 'result')
    await build(target)
    const isCurrent = (await digestOf(sources)) === digest
    await syncAll(target)
    const place = isCurrent ? result : `${result}-${randomUUID()}`
    await rename(target, place).catch(error => {
      if (!existsSync(place)) throw error
    })
    await prune(folder)
    return place
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Or a power cut would leave a result of empty files, and every start after it would take that for the real one. */
const syncAll = async (folder: string): Promise<void> => {
  const files = await filesIn(folder)
  for (const path of new Set([...files, ...files.map(dirname)])) {
    if (process.platform === 'win32' && !files.includes(path)) continue
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  }
}

/**
 * Marks a result as in use again and again, so that it is not pruned under a process that runs for days. The returned
 * function stops it.
 */
export const keepInUse = (result: string): (() => void) => {
  // The cache may have been emptied by hand.
  const timer = setInterval(() => touch(result).catch(() => {}), inUseMs / 4)
  timer.unref()
  return () => clearInterval(timer)
}

/** Pruning goes by last use. */
const touch = async (path: string): Promise<void> => {
  const now = new Date()
  await utimes(path, now, now)
}

const digestOf = async (sources: readonly string[]): Promise<string> => {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\0`)
  for (const source of sources)
    for (const file of await filesIn(source))
      hash.update(`${file}\0`).update(digestBytes(await readFile(file)))
  return hash.digest('hex').slice(0, 32)
}

const filesIn = async (path: string): Promise<string[]> => {
  if (!existsSync(path)) return []
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}

/** Drops what nobody uses, unfinished results of killed processes included, but those used last. */
const prune = async (folder: string): Promise<void> => {
  const paths = (await readdir(folder)).map(name => join(folder, name))
  const found = await Promise.all(
    // Another process may just have pruned it.
    paths.map(async path => ({ path, usedAt: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  const unused = found.filter(({ usedAt }) => usedAt < Date.now() - inUseMs)
  const oldest = unused.sort((a, b) => b.usedAt - a.usedAt).slice(unusedKept)
  await Promise.all(oldest.map(({ path }) => rm(path, { recursive: true, force: true })))
}
