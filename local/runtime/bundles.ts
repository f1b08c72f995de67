import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cachedBuild } from './build-cache.ts'
import { projectRoot } from './project-root.ts'

/** Below the root of the published package: the functions' bundles, for there are no sources to make them from. */
const publishedBundles = join(projectRoot, 'bundles')

const sources = ['functions', 'infra', 'package-lock.json', 'tsconfig.json'].map(name =>
  join(projectRoot, name),
)

/** The folder with a folder for each function's bundle; made of the sources, and reused until they change. */
export const bundlesFolder = async (): Promise<string> =>
  existsSync(publishedBundles)
    ? publishedBundles
    : cachedBuild({
        folder: join(projectRoot, 'node_modules', '.cache', 'millrace', 'bundles'),
        sources,
        build,
      })

const build = async (target: string): Promise<void> => {
  try {
    await promisify(execFile)(process.execPath, [join(projectRoot, 'infra', 'keep-bundles.ts'), target], {
      cwd: projectRoot,
      env: { ...process.env, TMPDIR: dirname(target) },
    })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`The functions could not be bundled.\n${stderr}`, { cause: error })
  }
}
