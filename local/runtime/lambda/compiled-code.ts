import { readdir, rm, stat } from 'node:fs/promises'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'

/** How long a thread is to have been idle. */
const IDLE_MS = 1_000

/**
 * Keeps what V8 compiled in this thread for the next one that loads the same files, where this process keeps such code
 * (`cli/compile-cache.js`). Node itself does so when a thread ends by itself, and ours are ended.
 */
export const keepCompiledCode = () => {
  const timer = setTimeout(flushCompileCache, IDLE_MS).unref()
  return { keepSoon: () => void timer.refresh() }
}

/** Of all versions of Node. Undefined: this process keeps none. */
const compiledCodeFolder = (): string | undefined => {
  const ofThisVersion = getCompileCacheDir()
  return ofThisVersion && dirname(ofThisVersion)
}

/** The environment by which a thread uses the compiled code that this process keeps. Empty when it keeps none. */
export const compiledCodeEnvironment = (): Record<string, string> => {
  const folder = compiledCodeFolder()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

const KEPT_MS = 30 * 24 * 3_600_000
const DROP_AFTER_MS = 60_000

/**
 * Drops compiled code of a month ago, once this process has run for a minute: each change of a file leaves some behind.
 * What is still in use is compiled once more. The returned function calls it off.
 */
export const dropOldCompiledCode = (folder = compiledCodeFolder(), afterMs = DROP_AFTER_MS): (() => void) => {
  const timer = setTimeout(async () => {
    if (folder === undefined) return
    const names = await readdir(folder, { recursive: true })
    for (const path of names.map(name => join(folder, name))) {
      // Another process may drop it at the same time.
      const found = await stat(path).catch(() => undefined)
      if (found?.isFile() && found.mtimeMs < Date.now() - KEPT_MS) await rm(path, { force: true })
    }
  }, afterMs)
  timer.unref()
  return () => clearTimeout(timer)
}
