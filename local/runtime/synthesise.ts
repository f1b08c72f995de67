import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { projectRoot } from './project-root.ts'

/** What a bundle or the template is made from; a change in any of it makes a new assembly. */
const sources = ['functions', 'infra', 'cdk.json', 'package-lock.json', 'tsconfig.json'] as const

/** Below the project, so that a bundle's native bindings are found by looking up to its `node_modules`. */
const cacheRoot = join(projectRoot, 'node_modules', '.cache', 'millrace', 'assemblies')

/** As many branches as one person switches between; each assembly is some megabytes. */
const assembliesKept = 4

const unfinishedPrefix = 'unfinished-'

/**
 * Directory of a cloud assembly made from the sources as they are now; made at most once per state of the sources.
 *
 * Several processes may ask at once: each builds in a directory of its own and the first rename wins.
 */
export const synthesise = async (): Promise<string> => {
  const directory = join(cacheRoot, await digestOfSources())
  if (existsSync(directory)) {
    const now = new Date()
    await utimes(directory, now, now) // Pruning goes by last use.
    return directory
  }
  await mkdir(cacheRoot, { recursive: true })
  const unfinished = await mkdtemp(join(cacheRoot, unfinishedPrefix))
  try {
    await runApp(unfinished)
    await rename(join(unfinished, 'assembly'), directory).catch(error => {
      if (!existsSync(directory)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  await prune(directory)
  return directory
}

/** How long an assembly counts as in use after somebody has said so. */
const inUseMs = 3_600_000

/**
 * Says from time to time that an assembly is in use, so that it is not pruned under a cloud that runs for days: each
 * new container loads its bundle from there. The result stops it.
 */
export const keepInUse = (directory: string): (() => void) => {
  const timer = setInterval(() => {
    const now = new Date()
    utimes(directory, now, now).catch(() => {}) // Somebody has emptied the cache by hand; there is nothing to keep.
  }, inUseMs / 4)
  timer.unref()
  return () => clearInterval(timer)
}

const runApp = async (directory: string): Promise<void> => {
  const temporary = join(directory, 'tmp')
  await mkdir(temporary)
  const context = {
    ...(await contextOfProject()),
    bundlesRunOn: 'this-machine',
    // Asked for by name, as the cdk command would: local names are made from construct paths.
    'aws:cdk:enable-path-metadata': true,
    'aws:cdk:disable-version-reporting': true,
  }
  try {
    await promisify(execFile)(process.execPath, [join(projectRoot, 'infra', 'app.ts')], {
      cwd: projectRoot,
      env: {
        ...process.env,
        TMPDIR: temporary,
        CDK_OUTDIR: join(directory, 'assembly'),
        CDK_CONTEXT_JSON: JSON.stringify(context),
      },
    })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`The stack could not be synthesised.\n${stderr}`, { cause: error })
  }
}

const contextOfProject = async (): Promise<Record<string, unknown>> => {
  const file: unknown = JSON.parse(await readFile(join(projectRoot, 'cdk.json'), 'utf8'))
  return z.looseObject({ context: z.record(z.string(), z.unknown()).default({}) }).parse(file).context
}

const digestOfSources = async (): Promise<string> => {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const source of sources) {
    const path = join(projectRoot, source)
    if (!existsSync(path)) continue
    for (const file of await filesIn(path))
      hash
        .update(`${file}\0`)
        .update(await readFile(file))
        .update('\0')
  }
  return hash.digest('hex').slice(0, 32)
}

const filesIn = async (path: string): Promise<string[]> => {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}

/** Drops the assemblies that were not used for the longest time, and what a killed process left half done. */
const prune = async (current: string): Promise<void> => {
  const leastUsedAt = Date.now() - inUseMs
  const entries = await Promise.all(
    (await readdir(cacheRoot)).map(async name => {
      const path = join(cacheRoot, name)
      const usedAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      return { path, usedAt, isUnfinished: name.startsWith(unfinishedPrefix) }
    }),
  )
  const abandoned = entries.filter(({ isUnfinished, usedAt }) => isUnfinished && usedAt < leastUsedAt)
  const finished = entries.filter(({ isUnfinished, path }) => !isUnfinished && path !== current)
  // One that another process is about to run is the most recently used, so an hour keeps it safe.
  const old = finished.sort((a, b) => b.usedAt - a.usedAt).slice(assembliesKept - 1)
  const unused = old.filter(({ usedAt }) => usedAt < leastUsedAt)
  await Promise.all([...abandoned, ...unused].map(({ path }) => rm(path, { recursive: true, force: true })))
}
