import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.ts'

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
export const nativeBindingFolders = async (): Promise<PackageFolder[]> => {
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
