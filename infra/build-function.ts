import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildResult, build, type Plugin } from 'esbuild'
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
    minify: true,
    keepNames: true, // Error names are matched by Step Functions and shown to people.
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: REQUIRE_BANNER },
    external: [NATIVE_PACKAGE],
    plugins: [namespaceImports, replacements],
    logLevel: 'error',
  })

/**
 * `import { z } from 'zod'` names a whole namespace, of which esbuild keeps everything: a third of a megabyte of languages
 * and formats. Of `import * as z` it keeps what is used.
 */
const namespaceImports: Plugin = {
  name: 'namespace-imports',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/].*\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(
        /^import \{ z \} from '(zod|@hono\/zod-openapi)'$/m,
        "import * as z from '$1'",
      ),
      loader: path.endsWith('.tsx') ? 'tsx' : 'ts',
    }))
  },
}

/** What stands in a bundle in the place of a package. */
const REPLACED: Readonly<Record<string, string>> = {
  // What our functions use of it, without naming the whole namespace of zod.
  '@hono/zod-openapi': `
    import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi'
    import { ZodType } from 'zod'
    extendZodWithOpenApi({ ZodType })
    export * from 'zod'`,
  // In Lambda the credentials are in the environment; the SDK brings clients of four services to look elsewhere too.
  '@aws-sdk/credential-provider-node': `
    export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'`,
}

const replacements: Plugin = {
  name: 'replacements',
  setup: ({ onResolve, onLoad }) => {
    const filter = new RegExp(`^(${Object.keys(REPLACED).join('|')})$`)
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'replacement' }))
    onLoad({ filter: /.*/, namespace: 'replacement' }, ({ path }) => ({
      contents: REPLACED[path] ?? '',
      resolveDir: projectRoot,
    }))
  },
}
