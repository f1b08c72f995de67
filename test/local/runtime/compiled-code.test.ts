import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Container } from '#local/runtime/lambda/container.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

const filesIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(({ name }) => name)

it('a thread keeps what it compiled while it is idle, although it is ended later', async () => {
  const [kept, modulePath] = [join(folder, 'kept'), join(folder, 'index.mjs')]
  await mkdir(kept)
  await writeFile(modulePath, 'export const handler = () => 1\n')
  const container = await Container.start({
    codeFolder: folder,
    environment: { NODE_COMPILE_CACHE: kept },
    memoryMiB: 128,
    temporary: join(folder, 'tmp'),
    host: Promise.resolve({}),
    onOutput: () => {},
  })
  try {
    await container.load()
    await expect.poll(() => filesIn(kept)).not.toEqual([])
  } finally {
    await container.terminate()
  }
})
