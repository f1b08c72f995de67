import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Context } from 'aws-lambda'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaHandler } from '#lib/cloud/lambda-handler.ts'

it('an invocation begins with an empty scratch folder, and other files stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-handler-test-'))
  const scratchFolder = join(folder, 'scratch')
  try {
    await mkdir(join(scratchFolder, 'of-one-that-was-cut-off'), { recursive: true })
    await writeFile(join(scratchFolder, 'of-one-that-was-cut-off', 'spill'), 'x')
    await writeFile(join(folder, 'other'), 'x')
    const handler = lambdaHandler({
      service: 'test',
      event: z.object({}),
      open: async () => async () => existsSync(scratchFolder),
      scratchFolder,
    })
    // Only what the logger reads.
    const context = { awsRequestId: '1', functionName: 'test' } as Context
    expect(await handler({}, context)).toBe(false)
    expect(await readdir(folder)).toEqual(['other'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('every function that works with tables or previews begins so', () => {
  const textOf = (file: string) => readFileSync(file, 'utf8')
  const functions = globSync('functions/**/handler.ts').map(file => ({
    folder: dirname(file),
    handler: textOf(file),
  }))
  const withScratch = functions.filter(({ folder }) =>
    globSync(`${folder}/*.ts`).some(file => /createLazyTableEngine|previewAsked\(/.test(textOf(file))),
  )
  expect(withScratch.map(({ folder }) => basename(folder)).toSorted()).toEqual([
    'preview',
    'run-job',
    'storage-api',
  ])
  for (const { folder, handler } of withScratch)
    expect(handler, folder).toMatch(/^ {2}scratchFolder(?:: tablesScratch)?,$/m)
})
