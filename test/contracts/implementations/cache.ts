import { execFile } from 'node:child_process'
import { access, glob, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * A folder in the user's cache (`$XDG_CACHE_HOME/millrace`), which `fill` makes once: it gets an empty folder, and gives the one that is
 * kept, itself by default. Resolves to undefined when that fails.
 */
const cached = async (
  name: string,
  // biome-ignore lint/suspicious/noConfusingVoidType: what fills the folder itself returns nothing.
  fill: (scratch: string) => Promise<string | void>,
): Promise<string | undefined> => {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'millrace')
  const folder = join(cache, name)
  if (await isThere(folder)) return folder
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'fetching-'))
  try {
    const filled = (await fill(scratch)) ?? scratch
    // A run that dies before this leaves nothing that the next one takes for whole.
    await rename(filled, folder)
    return folder
  } catch {
    return undefined
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const mavenGoal = (name: string): string => `org.apache.maven.plugins:maven-dependency-plugin:3.8.1:${name}`

/** An unpacked `.tar.gz` of Maven: `group:artifact:version`. */
export const fetchMavenArchive = (artifact: string): Promise<string | undefined> => {
  const name = artifact.split(':').slice(1).join('-')
  return cached(name, async scratch => {
    const given = [`-Dartifact=${artifact}:tar.gz`, `-DoutputDirectory=${scratch}`]
    await run('mvn', ['-B', '-q', mavenGoal('copy'), ...given])
    await run('tar', ['xzf', join(scratch, `${name}.tar.gz`), '-C', scratch])
    return join(scratch, name)
  })
}

/** A folder with the jar of `group:artifact:version` and of all that it depends on. */
export const fetchJars = (artifact: string): Promise<string | undefined> => {
  const [groupId = '', artifactId = '', version = ''] = artifact.split(':')
  const coordinates = (group: string, id: string, of: string) =>
    `<groupId>${group}</groupId><artifactId>${id}</artifactId><version>${of}</version>`
  const project =
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${coordinates('millrace', 'contracts', '1')}` +
    `<dependencies><dependency>${coordinates(groupId, artifactId, version)}</dependency></dependencies></project>`
  return cached(`${artifactId}-${version}`, async scratch => {
    await writeFile(join(scratch, 'pom.xml'), project)
    const given = ['-B', '-q', '-f', join(scratch, 'pom.xml'), mavenGoal('copy-dependencies')]
    await run('mvn', [...given, `-DoutputDirectory=${join(scratch, 'jars')}`])
    return join(scratch, 'jars')
  })
}

/** A Java of at least this version: that of `JAVA_HOME`, of the path, or one that is installed beside it. */
export const findJava = async (oldest: number): Promise<string | undefined> => {
  const candidates = ['java']
  if (process.env['JAVA_HOME']) candidates.unshift(join(process.env['JAVA_HOME'], 'bin/java'))
  for await (const found of glob('/usr/lib/jvm/*/bin/java')) candidates.push(found)
  for (const java of candidates) {
    const { stderr } = await run(java, ['-version']).catch(() => ({ stderr: '' }))
    if (Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0) >= oldest) return java
  }
  return undefined
}

/** The command of a Go module, compiled: `example.org/module/cmd/name@version`. */
export const fetchGoCommand = async (command: string): Promise<string | undefined> => {
  const [path = '', version] = command.split('@')
  const name = path.split('/').at(-1) ?? ''
  const folder = await cached(`${name}-${version}`, async scratch => {
    await run('go', ['install', command], { env: { ...process.env, GOBIN: scratch } })
  })
  return folder && join(folder, name)
}

interface GoTests {
  path: string
  version: string
  /** As `go.sum` has them: of the module, and of its `go.mod`. */
  sums: readonly [module: string, goMod: string]
  testedPackage: string
}

/** The compiled tests of a package of a Go module. */
export const fetchGoTests = async ({
  path,
  version,
  sums,
  testedPackage,
}: GoTests): Promise<string | undefined> => {
  const folder = await cached(`${path.split('/').slice(-2).join('-')}-${version}-tests`, async scratch => {
    await writeFile(join(scratch, 'go.mod'), `module fetched\nrequire ${path} ${version}\n`)
    await writeFile(
      join(scratch, 'go.sum'),
      `${path} ${version} ${sums[0]}\n${path} ${version}/go.mod ${sums[1]}\n`,
    )
    const { stdout } = await run('go', ['mod', 'download', '-json', path], { cwd: scratch })
    const { Dir: cwd } = z.object({ Dir: z.string() }).parse(JSON.parse(stdout))
    const env = { ...process.env, GOWORK: 'off' }
    await run('go', ['test', '-c', '-o', join(scratch, 'tests'), testedPackage], { cwd, env })
  })
  return folder && join(folder, 'tests')
}

/** Of PyPI: a cloud to test against, and what checks templates. */
export const pythonTools = ['moto[server]==5.2.5', 'cfn-lint==1.58.0']

export const fetchPythonTools = (): Promise<NodeJS.ProcessEnv | undefined> => fetchPython(pythonTools)

/** Environment in which `python3 -m` finds these packages of PyPI, and the shell their commands. */
export const fetchPython = async (packages: readonly string[]): Promise<NodeJS.ProcessEnv | undefined> => {
  const { stdout } = await run('python3', ['--version']).catch(() => ({ stdout: '' }))
  const version = /\d+\.\d+/.exec(stdout)?.[0]
  if (version === undefined) return undefined
  const name = packages.join('-').replaceAll(/[^\w.]+/g, '-')
  const folder = await cached(`${name}-python${version}`, async scratch => {
    await run('python3', ['-m', 'pip', 'install', '-q', '--target', scratch, ...packages])
  })
  return folder === undefined
    ? undefined
    : {
        ...process.env,
        PYTHONPATH: folder,
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      }
}

/** The folder of a package of npm: `name@version`. */
export const fetchNpm = async (release: string): Promise<string | undefined> => {
  const folder = await cached(release.replace('@', '-'), async scratch => {
    await run('npm', ['install', '--silent', '--ignore-scripts', '--prefix', scratch, release])
  })
  return folder && join(folder, 'node_modules', release.slice(0, release.lastIndexOf('@')))
}

/** The sources of a release on PyPI, with its tests: `name==version`. */
export const fetchPythonSources = async (release: string): Promise<string | undefined> => {
  const name = release.replace('==', '-')
  return cached(`${name}-sources`, async scratch => {
    const given = ['--no-deps', '--no-binary', ':all:', '-d', scratch]
    await run('python3', ['-m', 'pip', 'download', '-q', ...given, release])
    await run('tar', ['xzf', join(scratch, `${name}.tar.gz`), '-C', scratch])
    return join(scratch, name)
  })
}
