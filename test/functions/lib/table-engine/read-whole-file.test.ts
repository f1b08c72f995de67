import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFileReader } from '#lib/table-engine/read-whole-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-whole-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(folder, name), text)
  return path.join(folder, name)
}

it('files that are read at the same time are whole', async () => {
  const readWhole = createFileReader()
  const texts = Array.from({ length: 20 }, (_, index) => `${index},`.repeat(index * 10_000))
  const paths = await Promise.all(texts.map((text, index) => write(String(index), text)))
  const read = paths.map(file =>
    readWhole(file, async content => {
      await new Promise(setImmediate)
      return content.toString()
    }),
  )
  expect((await Promise.all(read)).every((text, index) => text === texts[index])).toBe(true)
})

it('memory is used again after a success, and not after a failure', async () => {
  const readWhole = createFileReader()
  const small = await write('small', 'small')
  const memoryOf = (): Promise<ArrayBufferLike> => readWhole(small, async ({ buffer }) => buffer)
  const first = await memoryOf()
  expect(await memoryOf()).toBe(first)
  let failed: ArrayBufferLike | undefined
  const failing = readWhole(small, async ({ buffer }) => {
    failed = buffer
    throw new Error('not sent')
  })
  await expect(failing).rejects.toThrow('not sent')
  expect(failed).toBe(first)
  expect(await memoryOf()).not.toBe(first)
})
