import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { cachedBuild } from './build-cache.ts'
import { projectRoot } from './project-root.ts'

/** Sources of the bundles and the template. */
const sources = ['functions', 'infra', 'cdk.json', 'package-lock.json', 'tsconfig.json'].map(name =>
  join(projectRoot, name),
)

/** Inside the project, so that bundles find native bindings in its `node_modules`. */
const folder = join(projectRoot, 'node_modules', '.cache', 'millrace', 'assemblies')

interface SynthesiseOptions {
  /** Overrides cdk.json, as `-c name=value` does. */
  readonly context?: Readonly<Record<string, unknown>>
  /** Defaults for what cdk.json leaves out. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

/** Directory of a cloud assembly of the current sources; reused until they change. */
export const synthesise = ({ context = {}, defaults = {} }: SynthesiseOptions = {}): Promise<string> =>
  cachedBuild({
    folder,
    sources,
    settings: JSON.stringify({ context, defaults }),
    build: async (target, scratch) =>
      runApp({ ...defaults, ...(await contextOfProject()), ...context }, target, scratch),
  })

const runApp = async (
  chosen: Readonly<Record<string, unknown>>,
  target: string,
  scratch: string,
): Promise<void> => {
  const context = {
    ...chosen,
    // Bundling takes most of the time, and no configuration changes a bundle.
    keptBundles: await builtBundles(),
    // Local names are made from construct paths, which CDK writes only when asked.
    'aws:cdk:enable-path-metadata': true,
    'aws:cdk:disable-version-reporting': true,
  }
  await runInfra('app.ts', [], {
    TMPDIR: scratch,
    CDK_OUTDIR: target,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    // CDK's own validation of the template only warns, and takes ten times as long as all the rest.
    CDK_VALIDATION: 'false',
  })
}

const contextOfProject = async (): Promise<Record<string, unknown>> => {
  const file: unknown = JSON.parse(await readFile(join(projectRoot, 'cdk.json'), 'utf8'))
  return z.looseObject({ context: z.record(z.string(), z.unknown()).default({}) }).parse(file).context
}

/** Runs a program of `infra/` in a process of its own, with these variables too. Rejects with what it says is wrong. */
const runInfra = async (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<void> => {
  try {
    await promisify(execFile)(process.execPath, [join(projectRoot, 'infra', program), ...args], {
      cwd: projectRoot,
      env: { ...process.env, ...variables },
    })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`The stack could not be synthesised.\n${stderr}`, { cause: error })
  }
}

const bundleSources = ['functions', 'infra', 'package-lock.json', 'tsconfig.json'].map(name =>
  join(projectRoot, name),
)

/** The folder of the functions' bundles for this machine; reused until the sources change. */
export const builtBundles = (): Promise<string> =>
  cachedBuild({
    folder: join(projectRoot, 'node_modules', '.cache', 'millrace', 'bundles'),
    sources: bundleSources,
    build: (target, scratch) => runInfra('keep-bundles.ts', [target], { TMPDIR: scratch }),
  })
