import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { bundlesFolder } from '#local/runtime/bundles.ts'
import { metafilePath } from '../../infra/bundle.ts'

const bundles = await bundlesFolder()

interface Metafile {
  outputs: Record<string, { inputs: object }>
}

it.each([
  ['storage-api', 'open-app.ts', 'components'],
  ['run-job', 'work.ts', 'merge/merge-rows.py'],
] as const)(
  'the bundle of %s has, beside the code of %s, what that reads at run time',
  (name, module, read) => {
    const source = `functions/${name}/${module}`
    expect(readFileSync(source, 'utf8')).toContain('import.meta.dirname')
    const { outputs }: Metafile = JSON.parse(readFileSync(metafilePath(bundles, name), 'utf8'))
    const holding = Object.entries(outputs).filter(([, { inputs }]) => source in inputs)
    expect(holding).not.toEqual([])
    for (const [output] of holding) {
      expect(basename(dirname(output))).toBe(name)
      expect(existsSync(join(bundles, name, read))).toBe(true)
    }
  },
)

it('what reads files beside its code has its place in the table above', () => {
  const { outputs }: Metafile = JSON.parse(readFileSync(metafilePath(bundles, 'run-job'), 'utf8'))
  const sources = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const own = [...new Set(sources)].filter(
    source =>
      source.startsWith('functions/') && /import\.meta\.(url|dirname)/.test(readFileSync(source, 'utf8')),
  )
  expect(own.toSorted()).toEqual([
    'functions/lib/table-engine/queries/open-box.ts',
    'functions/run-job/work.ts',
  ])
})
