import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { build, type Metafile, type OutputFile } from 'esbuild'
import { buildFunction, type FunctionBuild, NATIVE_PACKAGE } from './build-function.ts'
import { tablerStyle } from './console-style.ts'
import { projectRoot } from './project-root.ts'
import { type FunctionName, functionNames } from './system.ts'

/** A function ready to be deployed: a folder that holds `index.mjs` and what cannot be bundled. */
export interface FunctionBundle {
  name: FunctionName
  folder: string
  /** Hash of the content, not of the path: equal sources give equal assets on every machine. */
  contentHash: string
  /** Whether it loads DuckDB's native binding, which then decides the architecture. */
  isNative: boolean
}

export type FunctionBundles = Readonly<Record<FunctionName, FunctionBundle>>

interface BundleOptions {
  /**
   * Where the bundles run. `lambda`: Linux x86_64 bindings are copied in, whatever machine synthesises.
   * `this-machine`: bindings are found in the project's own `node_modules`.
   */
  runsOn: 'lambda' | 'this-machine'
  /** Gets a folder for each. Default: a temporary one until the process ends. */
  root?: string
}

/** Bundles every function: ES modules, minified, with source maps. */
export const bundleFunctions = async ({
  runsOn,
  root = folderUntilExit('millrace-bundles-'),
}: BundleOptions): Promise<FunctionBundles> => {
  const bundles = await Promise.all(
    functionNames.map(async name => [name, await writeBundle(root, name, await buildFunction(name), runsOn)]),
  )
  // Built from functionNames just above, so every name has its bundle.
  return Object.fromEntries(bundles) as FunctionBundles
}

/** The bundle with one more file beside `index.mjs`, for settings that may outgrow the 4 KB of an environment. */
export const withFile = (bundle: FunctionBundle, name: string, content: string): FunctionBundle => {
  const folder = folderUntilExit('millrace-bundle-')
  cpSync(bundle.folder, folder, { recursive: true })
  writeFileSync(join(folder, name), content)
  const contentHash = createHash('sha256')
    .update(bundle.contentHash)
    .update(name)
    .update(content)
    .digest('hex')
  return { ...bundle, folder, contentHash }
}

/** esbuild's own report of what a bundle is made of, beside the bundle. */
export const metafilePath = (root: string, name: FunctionName): string => join(root, `${name}.metafile.json`)

const writeBundle = async (
  root: string,
  name: FunctionName,
  { outputFiles, metafile }: FunctionBuild,
  runsOn: BundleOptions['runsOn'],
): Promise<FunctionBundle> => {
  const folder = join(root, name)
  mkdirSync(folder)
  writeFileSync(metafilePath(root, name), JSON.stringify(metafile))
  const hash = createHash('sha256')
  for (const file of outputFiles.toSorted(byPath)) {
    writeFileSync(join(folder, basename(file.path)), file.contents)
    hash.update(file.contents)
  }

  const isNative = importsNativePackage(metafile)
  if (isNative && runsOn === 'lambda') {
    for (const { packageName, version, source } of await nativeBindingFolders()) {
      cpSync(source, join(folder, 'node_modules', packageName), { recursive: true })
      hash.update(`${packageName}@${version}`)
    }
  }
  if (name === 'storage-api') {
    for (const { path, contents } of await bundleConsole()) {
      const file = join('console', basename(path))
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), contents)
      hash.update(file).update(contents)
    }
  }
  for (const file of dataFilesOf(name)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(projectRoot, 'functions', name, file), join(folder, file))
    hash.update(file).update(readFileSync(join(folder, file)))
  }
  return { name, folder, contentHash: hash.update(runsOn).digest('hex'), isNative }
}

/** What browsers load from the console: a style sheet, a script, and what that one loads where it is needed. */
const bundleConsole = async (): Promise<OutputFile[]> => {
  const client = 'functions/storage-api/console/client'
  const { outputFiles } = await build({
    entryPoints: [`${client}/console.ts`, `${client}/console.css`],
    absWorkingDir: projectRoot,
    outdir: join(projectRoot, 'cdk.out', 'console'),
    splitting: true,
    chunkNames: '[name]-[hash]',
    write: false,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    minify: true,
    loader: { '.svg': 'dataurl' },
    plugins: [tablerStyle],
    legalComments: 'none',
    logLevel: 'error',
  })
  return outputFiles.sort(byPath)
}

/** Files that a function reads at run time: the JSON files of the component catalogue, the script of large merges. */
const dataFilesOf = (name: FunctionName): string[] =>
  globSync(['components/*.json', 'merge/*.py'], { cwd: join(projectRoot, 'functions', name) }).sort()

const byPath = (a: OutputFile, b: OutputFile): number => (a.path < b.path ? -1 : 1)

const importsNativePackage = ({ outputs }: Metafile): boolean =>
  Object.values(outputs).some(({ imports }) => imports.some(({ path }) => path === NATIVE_PACKAGE))

interface PackageFolder {
  packageName: string
  version: string
  source: string
}

/** Functions with DuckDB's binding run on x86_64, where every table test has run. */
const LOADER = '@duckdb/node-bindings'
const LINUX_BINDING = '@duckdb/node-bindings-linux-x64'

/**
 * The packages that a native function needs beside its bundle, for Linux x86_64.
 *
 * On Linux x86_64 `npm ci` has installed them, so this needs no network. On other machines the Linux binding is fetched
 * once with `npm pack` and kept under `node_modules/.cache`.
 */
const nativeBindingFolders = async (): Promise<PackageFolder[]> => {
  const loader = installed(LOADER)
  if (!loader) throw new Error(`${LOADER} is not installed: run npm ci`)
  return [loader, installed(LINUX_BINDING) ?? fetchBinding(loader.version)]
}

const installed = (packageName: string): PackageFolder | undefined =>
  describe(packageName, join(projectRoot, 'node_modules', packageName))

const describe = (packageName: string, source: string): PackageFolder | undefined => {
  const manifest = join(source, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string } // npm requires a version.
  return { packageName, version, source }
}

const fetchBinding = (version: string): PackageFolder => {
  const cache = join(projectRoot, 'node_modules', '.cache', 'millrace')
  const source = join(cache, `node-bindings-linux-x64-${version}`)
  if (!existsSync(source)) {
    mkdirSync(cache, { recursive: true })
    const temporary = mkdtempSync(join(cache, 'fetch-'))
    try {
      execFileSync('npm', ['pack', `${LINUX_BINDING}@${version}`, '--pack-destination', temporary], {
        stdio: 'pipe',
      })
      execFileSync('sh', ['-c', 'tar -xzf *.tgz'], { cwd: temporary, stdio: 'pipe' })
    } catch (cause) {
      throw new Error(
        `The functions with DuckDB need ${LINUX_BINDING}@${version}, which this machine does not have and could not ` +
          'fetch with npm pack. Synthesise once with a network, or on Linux x86_64.',
        { cause },
      )
    }
    renameSync(join(temporary, 'package'), source)
  }
  return { packageName: LINUX_BINDING, version, source }
}

/** A new temporary folder that is removed when the process ends: synthesis copies what it needs into `cdk.out`. */
export const folderUntilExit = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
