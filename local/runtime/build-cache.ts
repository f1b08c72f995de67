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
  /** What else the result depends on. Default: nothing. */
  readonly settings?: string
  /** Makes the result at `target`, which does not exist yet. `scratch` is for temporary files. */
  readonly build: (target: string, scratch: string) => Promise<void>
}

/** As many branches as one person switches between. */
const resultsKept = 4

/** How long a result counts as in use after it was last marked. */
const inUseMs = 3_600_000

const unfinishedPrefix = 'unfinished-'

/** Builds of this process, by the path of their result. */
const underWay = new Map<string, Promise<string>>()

/**
 * The folder built from the current sources; built at most once per state of the sources.
 *
 * Several processes may build at once: each uses its own folder and the first rename wins. A result whose sources changed
 * during the build is used by its caller and never found again.
 */
export const cachedBuild = async (options: BuildCacheOptions): Promise<string> => {
  const { folder, sources, settings = '' } = options
  const digest = await digestOf(sources, settings)
  const result = join(folder, digest)
  if (existsSync(result)) {
    await touch(result)
    return result
  }
  const known = underWay.get(result)
  if (known) return known
  const building = buildInto(digest, options)
  underWay.set(result, building)
  return building.finally(() => underWay.delete(result))
}

const buildInto = async (
  digest: string,
  { folder, sources, settings = '', build }: BuildCacheOptions,
): Promise<string> => {
  const result = join(folder, digest)
  await mkdir(folder, { recursive: true })
  const unfinished = await mkdtemp(join(folder, unfinishedPrefix))
  try {
    const [target, scratch] = [join(unfinished, 'result'), join(unfinished, 'scratch')]
    await mkdir(scratch)
    await build(target, scratch)
    const isCurrent = (await digestOf(sources, settings)) === digest
    await syncAll(target)
    const place = isCurrent ? result : `${result}-${randomUUID()}`
    await rename(target, place).catch(error => {
      if (!existsSync(place)) throw error
    })
    await prune(folder, place)
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

const digestOf = async (sources: readonly string[], settings: string): Promise<string> => {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\0${settings}\0`)
  for (const source of sources) {
    for (const file of await filesIn(source))
      hash.update(`${file}\0`).update(digestBytes(await readFile(file)))
  }
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

/** Drops the least recently used results, and unfinished ones of killed processes. */
const prune = async (folder: string, current: string): Promise<void> => {
  const leastUsedAt = Date.now() - inUseMs
  const entries = await Promise.all(
    (await readdir(folder)).map(async name => {
      const path = join(folder, name)
      const usedAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0, // Another process has just pruned it.
      )
      return { path, usedAt, isUnfinished: name.startsWith(unfinishedPrefix) }
    }),
  )
  const abandoned = entries.filter(({ isUnfinished }) => isUnfinished)
  const finished = entries.filter(({ isUnfinished, path }) => !isUnfinished && path !== current)
  const oldest = finished.sort((a, b) => b.usedAt - a.usedAt).slice(resultsKept - 1)
  const unused = [...abandoned, ...oldest].filter(({ usedAt }) => usedAt < leastUsedAt)
  await Promise.all(unused.map(({ path }) => rm(path, { recursive: true, force: true })))
}
