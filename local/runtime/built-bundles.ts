import { join } from 'node:path'
import { cachedBuild } from './build-cache.ts'
import { projectRoot } from './project-root.ts'
import { runInfra } from './run-infra.ts'

const sources = ['functions', 'infra', 'package-lock.json', 'tsconfig.json'].map(name =>
  join(projectRoot, name),
)

/** The folder of the functions' bundles for this machine; reused until the sources change. */
export const builtBundles = (): Promise<string> =>
  cachedBuild({
    folder: join(projectRoot, 'node_modules', '.cache', 'millrace', 'bundles'),
    sources,
    build: (target, scratch) => runInfra('keep-bundles.ts', [target], { TMPDIR: scratch }),
  })
