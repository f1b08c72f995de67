import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildResult, build, type Plugin } from 'esbuild'
import { projectRoot } from './project-root.ts'
import { type FunctionName, folderOf } from './system.ts'

/**
 * `import { z } from 'zod'` names a whole namespace, of which esbuild keeps everything: a third of a megabyte of languages
 * and formats. Of `import * as z` it keeps what is used.
 */
const namespaceImports: Plugin = {
  name: 'namespace-imports',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/].*\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(
        /^import \{ z \} from 'zod'$/m,
        "import * as z from 'zod'",
      ),
      loader: path.endsWith('.tsx') ? 'tsx' : 'ts',
    }))
  },
}

/**
 * The SDK describes the operations of a service in one file, as literals whose keys are constants: `{ [_h]: 1 }`. To esbuild
 * such a key may have effects, so that it keeps the operations that nobody calls. With `{ "http": 1 }` it drops them.
 */
const literalKeys: Plugin = {
  name: 'literal-keys',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const texts = new Map(
        source.matchAll(/^const (\w+) = ("[^"\\]*");$/gm).map(([, name, text]) => [name, text]),
      )
      return {
        contents: source.replaceAll(/\[(\w+)\]:/g, (key, name: string) =>
          texts.has(name) ? `${texts.get(name)}:` : key,
        ),
        loader: 'js',
      }
    })
  },
}

/** What stands in a bundle in the place of a package. */
const REPLACED: Readonly<Record<string, string>> = {
  // In Lambda the credentials are in the environment; the SDK brings clients of four services to look elsewhere too.
  '@aws-sdk/credential-provider-node': `
    export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'`,
  // Replies that are streams of events: we call no operation that has one, and one that is called says so.
  '@smithy/core/event-streams': `
    const refuse = () => { throw new Error('This bundle reads no event streams (infra/build-function.ts)') }
    export const resolveEventStreamSerdeConfig = config => config
    export const eventStreamSerdeProvider = refuse
    export class EventStreamSerde { constructor() { refuse() } }`,
  // An import reads every name of these, some of which Node makes only then: functions/lib/node-http.ts.
  'node:http': `
    export const { Agent, STATUS_CODES, request } = process.getBuiltinModule('node:http')`,
  'node:process': `
    export const { env, versions } = process`,
}

const replacements: Plugin = {
  name: 'replacements',
  setup: ({ onResolve, onLoad }) => {
    const filter = new RegExp(`^(${Object.keys(REPLACED).join('|')})$`)
    // `require` reads no names.
    onResolve({ filter }, ({ path, kind }) =>
      kind === 'require-call' && path.startsWith('node:') ? undefined : { path, namespace: 'replacement' },
    )
    onLoad({ filter: /.*/, namespace: 'replacement' }, ({ path }) => ({
      contents: REPLACED[path] ?? '',
      resolveDir: projectRoot,
    }))
  },
}

/** What keeps bundles small: a start parses all that it loads. */
const leanBundles: readonly Plugin[] = [namespaceImports, literalKeys, replacements]

const options = { absWorkingDir: projectRoot, write: false, metafile: true } as const

export type FunctionBuild = BuildResult<typeof options>

/** What cannot be bundled: the package chooses its binding by the machine. */
export const NATIVE_PACKAGE = '@duckdb/node-bindings'

/** CommonJS packages inside an ES module bundle still call `require`. */
const REQUIRE_BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/** What a function runs in a process of its own, beside its `index.mjs`. */
const QUERY_PROGRAM = { in: 'functions/lib/table-engine/queries/box.ts', out: 'box' }

/**
 * The bundle of a function's `handler.ts`, in memory: `index.mjs` and what it loads at once or later.
 *
 * What is imported by a call of `import()` is in files of its own, so that a start does not even parse it.
 */
export const buildFunction = (name: FunctionName): Promise<FunctionBuild> =>
  build({
    ...options,
    entryPoints: [
      { in: `functions/${folderOf(name)}/handler.ts`, out: 'index' },
      ...(name === 'storage-api' ? [QUERY_PROGRAM] : []),
    ],
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
