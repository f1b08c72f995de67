import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cachedBuild } from '#local/runtime/build-cache.ts'
import { temporaryFolder } from './temporary-folder.ts'

let root: ReturnType<typeof temporaryFolder>
let builds: number
const source = () => join(root.path, 'source')

beforeEach(async () => {
  root = temporaryFolder()
  builds = 0
  await mkdir(source())
  await writeFile(join(source(), 'a.ts'), 'one')
})
afterEach(() => root.remove())

const build = (meanwhile = async () => {}) =>
  cachedBuild({
    folder: join(root.path, 'cache'),
    sources: [source(), join(root.path, 'absent.json')],
    build: async target => {
      builds += 1
      await mkdir(target)
      await writeFile(join(target, 'made'), await readFile(join(source(), 'a.ts')))
      await meanwhile()
    },
  })
const madeIn = (folder: string) => readFile(join(folder, 'made'), 'utf8')

describe('cachedBuild', () => {
  it('builds once while the sources stay the same', async () => {
    const first = await build()
    expect(await build()).toBe(first)
    expect(builds).toBe(1)
  })

  it('builds again when a source changes, appears, or comes back', async () => {
    const first = await build()
    await writeFile(join(source(), 'a.ts'), 'two')
    expect(await madeIn(await build())).toBe('two')
    await writeFile(join(root.path, 'absent.json'), '{}')
    await build()
    expect(builds).toBe(3)
    await writeFile(join(source(), 'b.ts'), '')
    expect(await build()).not.toBe(first)
  })

  it('gives parallel callers one result', async () => {
    const results = await Promise.all([build(), build(), build()])
    expect(new Set(results).size).toBe(1)
    expect(await readdir(join(root.path, 'cache'))).toHaveLength(1)
  })

  it('does not keep a result whose sources changed while it was built', async () => {
    const stale = await build(() => writeFile(join(source(), 'a.ts'), 'changed'))
    expect(await madeIn(stale)).toBe('one')
    expect(await madeIn(await build())).toBe('changed')
    await writeFile(join(source(), 'a.ts'), 'one')
    expect(await build()).not.toBe(stale)
  })

  it('leaves nothing behind when the build fails', async () => {
    await expect(build(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await readdir(join(root.path, 'cache'))).toEqual([])
  })

  it('keeps only the most recently used results', async () => {
    for (const name of ['1', '2', '3', '4', '5', '6']) {
      await writeFile(join(source(), 'a.ts'), name)
      const old = new Date(Date.now() - 3 * 86_400_000 + Number(name) * 1000)
      await utimes(await build(), old, old)
    }
    await writeFile(join(source(), 'a.ts'), 'now')
    await build()
    const kept = await readdir(join(root.path, 'cache'))
    const made = await Promise.all(kept.map(name => madeIn(join(root.path, 'cache', name))))
    expect(made.sort()).toEqual(['4', '5', '6', 'now'])
  })
})
