import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { PageThreads } from '#lib/extractor/tables/page-threads.ts'
import { Structure } from '#lib/extractor/tables/structure.ts'
import { saveRoot } from '#lib/extractor/tables/structure-state.ts'
import { buildFunction } from '../../infra/build-function.ts'

it('the bundle of run-extractor has the thread that writes rows beside its other files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bundle-'))
  const { outputFiles } = await buildFunction('run-extractor')
  for (const { path, contents } of outputFiles) await writeFile(join(folder, basename(path)), contents)
  const asks = outputFiles.filter(
    ({ path, text }) => path.endsWith('.mjs') && text.includes('./page-thread$'),
  )
  expect(asks).toHaveLength(1)

  const root = new Structure().root('rows')
  root.setType('array')
  root.child('[]').setType('object')
  root.child('[]').child('price').setType('scalar')
  const plan = {
    type: 'rows',
    compat: false,
    structure: saveRoot(root),
    started: [['rows', []]] as [string, string[]][],
  }
  const warnings: string[] = []
  const threads = new PageThreads({
    threads: 1,
    warn: message => warnings.push(message),
    smallestPageBytes: 0,
    bytesBeforeStart: 0,
    busyShare: () => 1,
    file: pathToFileURL(join(folder, 'page-thread.mjs')),
  })
  try {
    const source = { body: Buffer.from('[{"price": 1.50}]'), path: [] }
    threads.note(source.body.length)
    const ahead = threads.begin(source, {}, { id: 1, version: 1, plan: () => plan })
    await ahead?.done
    expect(warnings).toEqual([])
    expect(Buffer.from(ahead?.rows?.tables[0]?.bytes ?? []).toString()).toBe('"1.50"\n')
  } finally {
    await threads.close()
    await rm(folder, { recursive: true })
  }
})
