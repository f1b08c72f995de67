import { join } from 'node:path'
import { type BuildResult, build } from 'esbuild'
import { leanBundles } from './lean-bundles.ts'
import { projectRoot } from './project-root.ts'

const options = { absWorkingDir: projectRoot, write: false, metafile: true } as const

export type FunctionBuild = BuildResult<typeof options>

/** What cannot be bundled: the package chooses its binding by the machine. */
export const NATIVE_PACKAGE = '@duckdb/node-bindings'

/** CommonJS packages inside an ES module bundle still call `require`. */
const REQUIRE_BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/**
 * The bundle of `functions/<name>/handler.ts`, in memory: `index.mjs` and what it loads at once or later.
 *
 * What is imported by a call of `import()` is in files of its own, so that a start does not even parse it.
 */
export const buildFunction = (name: string): Promise<FunctionBuild> =>
  build({
    ...options,
    entryPoints: [{ in: `functions/${name}/handler.ts`, out: 'index' }],
    // Nothing is written here. A fixed folder makes the paths in source maps the same on every machine.
    outdir: join(projectRoot, 'cdk.out', 'bundles', name),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    // Names of classes and functions are lost; those of our errors are values, which Step Functions matches.
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: REQUIRE_BANNER },
    external: [NATIVE_PACKAGE],
    plugins: [...leanBundles],
    logLevel: 'error',
  })
