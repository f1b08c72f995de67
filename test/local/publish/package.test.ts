import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '#local/runtime/project-root.ts'
import { folderUntilEnd } from '#support/until-end.ts'

/* The package as npm would publish it, used where there is no checkout. */
const folder = folderUntilEnd()
const empty = join(folder, 'empty')

const environment = {
  ...process.env,
  // The package's own Node 24 comes first, as it would on the machine of somebody who has it.
  PATH: [join(projectRoot, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
  MILLRACE_API_PORT: '0',
  MILLRACE_S3_PORT: '0',
  MILLRACE_DATA_DIR: undefined,
}
const npm = (cwd: string, ...args: string[]) =>
  promisify(execFile)('npm', args, { cwd, env: environment, maxBuffer: 64 * 1024 ** 2 })

const packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
])
await mkdir(empty)
const { stdout } = await npm(projectRoot, 'pack', '--json', '--silent', '--pack-destination', folder)
const tarball = packed.parse(JSON.parse(stdout))[0]

const MB = 1_000_000

describe('the package', () => {
  it('holds what runs, and neither sources nor tests', () => {
    const paths = tarball.files.map(({ path }) => path)
    expect(paths.filter(path => !/^(dist|docs)\//.test(path)).toSorted()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'cli/bin.js',
      'cli/compile-cache.js',
      'cli/little-memory.js',
      'package.json',
    ])
    const top = paths.flatMap(path => /^dist\/([^/]+)/.exec(path)?.[1] ?? [])
    expect([...new Set(top)].toSorted()).toEqual([
      'BUNDLED-LICENSES.txt',
      'bundles',
      'cli',
      'functions',
      'infra',
      'local',
      'package.json',
    ])
    // Started as a thread, which no import names
    expect(paths).toContain('dist/local/runtime/lambda/worker.js')
    expect(paths.filter(path => /\.tsx?$|\.test\.|(^|\/)test\/|\.db$/.test(path))).toEqual([])
  })

  it('holds each page and picture that its README links to', () => {
    const paths = tarball.files.map(({ path }) => path)
    const links = [
      ...readFileSync(join(projectRoot, 'README.md'), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g),
    ]
    const missing = links.flatMap(([, link = '']) =>
      paths.some(path => path === link || path.startsWith(`${link}/`)) ? [] : [link],
    )
    expect(missing).toEqual([])
  })

  it('is no larger than it has to be', () => {
    expect(tarball.size).toBeLessThan(16 * MB)
    expect(tarball.unpackedSize).toBeLessThan(64 * MB)
  })

  it('depends on the packages that it imports, and on no others', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
    const modules = globSync('dist/{cli,functions,infra,local}/**/*.js', { cwd: projectRoot })
    const imported = modules.flatMap(file =>
      [
        ...readFileSync(join(projectRoot, file), 'utf8').matchAll(
          /(?:from|import\(|load\() ?'([^'.#$][^']*)'/g,
        ),
      ].map(([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''),
    )
    const packages = new Set(imported.filter(name => !name.startsWith('node:')))
    packages.add('@duckdb/node-bindings') // Of the functions' bundles.
    const { dependencies } = z.object({ dependencies: z.record(z.string(), z.string()) }).parse(manifest)
    expect(Object.keys(dependencies).toSorted()).toEqual([...packages].toSorted())
  })

  it('names what its bundles hold, with the licences', () => {
    const licenses = readFileSync(join(projectRoot, 'dist', 'BUNDLED-LICENSES.txt'), 'utf8')
    expect(licenses).toMatch(/^hono \d[\d.]+ \(MIT\)$/m)
    expect(licenses).toMatch(/^@middy\/core \d[\d.]+ \(MIT\)$/m)
  })
})

/** The README's first steps: its blocks of commands between the two marks. */
const firstSteps = (): [start: string, then: string] => {
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
  const section =
    /<!-- first steps[\s\S]*?-->([\s\S]*?)<!-- end of the first steps -->/.exec(readme)?.[1] ?? ''
  const [start, then, ...others] = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block)
  if (start === undefined || then === undefined || others.length > 0)
    throw new Error('The README should have two blocks of first steps: the start, and what follows it')
  return [start, then]
}

const shell = (script: string) =>
  spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: empty,
    detached: true, // A group of its own, which Ctrl-C would end as a whole.
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** What it says on standard error, and its exit code. */
const endOf = async (child: ChildProcessByStdio<null | Writable, Readable, Readable>) => {
  const exited = once(child, 'exit')
  return [await text(child.stderr), (await exited)[0]]
}

describe('a newcomer', () => {
  it('does the first steps of the README in an empty folder', async context => {
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, tarball.filename)]
    const refused = await npm(empty, ...install).then(
      () => undefined,
      error => String(error.stderr),
    )
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(refused ?? ''))
      context.skip('no registry is in reach, and the cache of npm does not hold all packages')
    expect(refused).toBeUndefined()

    const [start, then] = firstSteps()
    const cloud = shell(`exec ${start.trim()}`)
    const ended = once(cloud, 'exit')
    const stderr = text(cloud.stderr)
    try {
      const endedEarly = ended.then(async () => {
        throw new Error(await stderr)
      })
      const [line] = await Promise.race([once(cloud.stdout, 'data'), endedEarly])
      endedEarly.catch(() => {}) // From here on it is meant to end.
      const { api } = z.object({ event: z.literal('ready'), api: z.url() }).parse(JSON.parse(String(line)))
      const steps = shell(then)
      const [output, [remarks, code]] = await Promise.all([text(steps.stdout), endOf(steps)])
      expect({ code, remarks }).toMatchObject({ code: 0 })
      expect(output).toContain('Smith, John')
      expect((await fetch(`${api}/console`)).status).toBe(200)
    } finally {
      if (cloud.pid !== undefined) process.kill(-cloud.pid, 'SIGINT')
      await ended
      await stderr // Until the last process of the group has closed it.
    }

    const other = shell(`MILLRACE_CONTEXT='{"projectId":"2"}' MILLRACE_DATA_DIR=other ${start.trim()}`)
    const otherEnded = once(other, 'exit')
    try {
      expect(JSON.parse(String((await once(other.stdout, 'data'))[0]))).toMatchObject({
        token: expect.stringMatching(/^2-1-/),
      })
    } finally {
      if (other.pid !== undefined) process.kill(-other.pid, 'SIGINT')
      await otherEnded
    }
  })

  it('is told which Node it takes', async () => {
    const asOlder = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.19.1' } })`
    const program = spawn(process.execPath, [
      '--import',
      asOlder,
      join(projectRoot, 'cli', 'bin.js'),
      'start',
    ])
    expect(await endOf(program)).toEqual([
      expect.stringMatching(/^Millrace needs Node 24 or newer; this is Node 20\.19\.1\. .*\n$/),
      1,
    ])
  })
})
